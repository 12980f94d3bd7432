// Links below the server's hovers. A hover is text; the link leads to the drawing.

import * as vscode from "vscode";
import type { Results } from "./results.ts";
import { range } from "./source.ts";

const most = 3;

export function registerHover(results: Results): vscode.Disposable {
  return vscode.languages.registerHoverProvider(
    [{ scheme: "file", language: "java" }, { scheme: "file", language: "kotlin" }, { scheme: "file", pattern: "**/*.{java,kt}" }],
    {
      provideHover(document, position) {
        const uri = document.uri.toString();
        const here = results.tasks.filter((t) => t.kind === "task").flatMap((task) =>
          task.locations.filter((at) => at.uri === uri && range(at.range).contains(position)).map((at) => ({ task, at: range(at.range) })),
        );
        if (!here[0]) return undefined;
        const links = here.map(({ task }) => {
          const argument = encodeURIComponent(JSON.stringify([{ task: task.id }]));
          // The name becomes part of Markdown, so only the characters of names are kept.
          return `[$(beaker) Show the flask of ${task.short.replace(/[^\w.$]/g, "")}](command:diffprof.showTask?${argument})`;
        });
        const md = new vscode.MarkdownString([...new Set(links)].slice(0, most).join("  \n"), true);
        md.isTrusted = { enabledCommands: ["diffprof.showTask"] };
        return new vscode.Hover(md, here[0].at);
      },
    },
  );
}
