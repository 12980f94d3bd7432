// From names in a trace to places in the source. The server knows the places of
// tasks' callers; other methods are sought by their file's name.

import * as vscode from "vscode";
import type { Task } from "./protocol.ts";
import type { Results } from "./results.ts";
import { base, short } from "./text.ts";

/** goToTask shows where the app calls a task; it asks if that is in several places. */
export async function goToTask(task: Task): Promise<void> {
  const places = task.locations;
  if (places.length === 0) {
    void vscode.window.showInformationMessage(`No caller of ${short(task.method)} is in the workspace.`);
    return;
  }
  let at = places[0]!;
  if (places.length > 1) {
    const picked = await vscode.window.showQuickPick(
      places.map((p) => ({
        label: `$(symbol-method) ${short(p.caller)}`,
        description: `${base(vscode.Uri.parse(p.uri).path)}:${p.range.start.line + 1}`,
        detail: p.stale ? `${short(p.caller)} ${p.stale}` : undefined,
        at: p,
      })),
      { title: `${short(task.method)} is called in`, matchOnDescription: true },
    );
    if (!picked) return;
    at = picked.at;
  }
  await open(vscode.Uri.parse(at.uri), new vscode.Range(at.range.start.line, at.range.start.character, at.range.end.line, at.range.end.character));
}

/** goToMethod shows a method's source, as near as can be told. */
export async function goToMethod(results: Results, method: string, file: string, line: number): Promise<void> {
  const place = results.tasks.flatMap((t) => t.locations).find((l) => l.caller === method || short(l.caller) === short(method));
  const uri = (place && (!file || base(vscode.Uri.parse(place.uri).path) === file) && vscode.Uri.parse(place.uri)) || (await findFile(method, file));
  if (!uri) {
    void vscode.window.showInformationMessage(`${short(method)}${file ? ` (${file})` : ""} is not in the workspace.`);
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (line > 0 && line <= document.lineCount) return open(uri, document.lineAt(line - 1).range);
  const name = short(method).split(".").pop() ?? "";
  const found = new RegExp(`\\b${name.replace(/[^\w$]/g, "").replace(/\$/g, "\\$")}\\s*\\(`).exec(document.getText());
  const start = document.positionAt(found?.index ?? 0);
  await open(uri, new vscode.Range(start, found ? start.translate(0, name.length) : start));
}

// Of files with one name, the one whose folders are the method's package.
async function findFile(method: string, file: string): Promise<vscode.Uri | undefined> {
  if (!file || /[\\/*?[\]{}]/.test(file)) return undefined;
  const found = await vscode.workspace.findFiles(`**/${file}`, "**/{node_modules,build}/**", 50);
  const parts = method.split("(")[0]!.split(".").slice(0, -2).join("/");
  return found.find((u) => u.path.endsWith(`/${parts}/${file}`)) ?? found[0];
}

// Beside the webview, not in its place.
async function open(uri: vscode.Uri, selection: vscode.Range): Promise<void> {
  const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
  const other = vscode.window.tabGroups.all.find((g) => !(g.activeTab?.input instanceof vscode.TabInputWebview));
  await vscode.window.showTextDocument(uri, { selection, viewColumn: shown?.viewColumn ?? other?.viewColumn ?? vscode.ViewColumn.One });
}
