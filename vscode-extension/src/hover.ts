// Links below the server's hovers: a hover is text, and a flask is a picture.

import * as vscode from "vscode";
import type { Results } from "./results.ts";
import { short } from "./text.ts";

const most = 3;

export function registerHover(results: Results): vscode.Disposable {
  return vscode.languages.registerHoverProvider(
    [{ scheme: "file", language: "java" }, { scheme: "file", language: "kotlin" }, { scheme: "file", pattern: "**/*.{java,kt}" }],
    {
      provideHover(document, position) {
        const links: string[] = [];
        let where: vscode.Range | undefined;
        for (const task of results.tasks) {
          for (const at of task.locations) {
            if (vscode.Uri.parse(at.uri).toString() !== document.uri.toString()) continue;
            const range = new vscode.Range(at.range.start.line, at.range.start.character, at.range.end.line, at.range.end.character);
            if (!range.contains(position) || links.length >= most) continue;
            where = range;
            const argument = encodeURIComponent(JSON.stringify([{ task: task.id }]));
            // Of a name, only what a name may have: it stands in Markdown here.
            links.push(`[$(beaker) Show the flask of ${short(task.method).replace(/[^\w.$]/g, "")}](command:diffprof.showTask?${argument})`);
          }
        }
        if (!where) return undefined;
        const md = new vscode.MarkdownString([...new Set(links)].join("  \n"), true);
        md.isTrusted = { enabledCommands: ["diffprof.showTask"] };
        return new vscode.Hover(md, where);
      },
    },
  );
}
