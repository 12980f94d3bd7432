// Adds a link above each hover of the server. The link opens the flask.

import * as vscode from "vscode";
import type { Results } from "./results.ts";
import type { Server } from "./server.ts";
import { range } from "./source.ts";

const most = 3;

const sources = [{ scheme: "file", language: "java" }, { scheme: "file", language: "kotlin" }, { scheme: "file", pattern: "**/*.{java,kt}" }];

/** registerHover adds the links. VS Code shows the latest registration first, so the links are registered again after each start of the server. */
export function registerHover(server: Server, results: Results): vscode.Disposable {
  let links: vscode.Disposable | undefined;
  const started = server.onPresence((presence) => {
    links?.dispose();
    links = presence === "running" ? vscode.languages.registerHoverProvider(sources, { provideHover: (document, position) => hover(results, document, position) }) : undefined;
  });
  return { dispose: () => [links, started].forEach((d) => d?.dispose()) };
}

function hover(results: Results, document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
  const uri = document.uri.toString();
  const here = results.tasks.filter((t) => t.kind === "task").flatMap((task) =>
    task.locations.filter((at) => at.uri === uri && range(at.range).contains(position)).map((at) => ({ task, at: range(at.range) })),
  );
  if (!here[0]) return undefined;
  const links = here.map(({ task }) => {
    const argument = encodeURIComponent(JSON.stringify([{ task: task.id }]));
    // The name is inserted into Markdown, so only the characters of identifiers are kept.
    return `[$(beaker) Show the flask of ${task.short.replace(/[^\w.$]/g, "")}](command:diffprof.showTask?${argument})`;
  });
  const md = new vscode.MarkdownString([...new Set(links)].slice(0, most).join("  \n"), true);
  md.isTrusted = { enabledCommands: ["diffprof.showTask"] };
  return new vscode.Hover(md, here[0].at);
}
