// Shows the source of the methods in a trace. The server finds the places.

import * as vscode from "vscode";
import type { Range } from "vscode-languageclient/node";
import { methods, type Source, type Task, type TaskLocation } from "./protocol.ts";
import type { Server } from "./server.ts";
import { base } from "./text.ts";

/** goToTask shows where the app calls a task. If there are several places, each use of the command shows the next one. */
export async function goToTask(task: Task): Promise<void> {
  const places = task.locations;
  const shown = places.findIndex((at) => vscode.window.visibleTextEditors.some((e) => selected(e, at)));
  const next = (shown + 1) % places.length;
  const at = places[next];
  if (!at) return none(task);
  await open(vscode.Uri.parse(at.uri), range(at.range));
  if (places.length > 1) vscode.window.setStatusBarMessage(`${task.short}: place ${next + 1} of ${places.length}; click again for the next`, 6000);
}

/** peekTask shows all places that call a task, in an inline view at the first one. */
export async function peekTask(task: Task): Promise<void> {
  const at = task.locations[0];
  if (!at) return none(task);
  const uri = vscode.Uri.parse(at.uri);
  await open(uri, range(at.range));
  const all = task.locations.map((l) => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range)));
  await vscode.commands.executeCommand("editor.action.peekLocations", uri, range(at.range).start, all, "peek");
}

/** goToMethod shows a method's source. If several places are possible, the user picks one. */
export async function goToMethod(server: Server, method: string, file: string, line: number): Promise<void> {
  const { locations, short, stale } = await server.ask<Source>(methods.source, { method, file, line });
  let at = locations[0];
  if (!at) return void vscode.window.showInformationMessage(`${short}${file ? ` (${file})` : ""} is not in the workspace.`);
  if (locations.length > 1) {
    const items = locations.map((place) => ({
      label: `$(symbol-method) ${short}`,
      description: `${base(vscode.Uri.parse(place.uri).path)}:${place.range.start.line + 1}`,
      detail: stale ? `${short} ${stale}` : undefined,
      place,
    }));
    at = (await vscode.window.showQuickPick(items, { title: `${short} is in`, matchOnDescription: true }))?.place;
  }
  if (at) await open(vscode.Uri.parse(at.uri), range(at.range));
}

/** range converts a range of the protocol to VS Code's. */
export function range({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function none(task: Task): void {
  void vscode.window.showInformationMessage(task.kind === "code" ? `${task.short} is not in the workspace.` : `No caller of ${task.short} is in the workspace.`);
}

// selected reports whether an editor has selected a place.
function selected(editor: vscode.TextEditor, at: TaskLocation): boolean {
  return editor.document.uri.toString() === at.uri && editor.selection.isEqual(range(at.range));
}

// open shows a source, in another column than the webview if possible.
async function open(uri: vscode.Uri, selection: vscode.Range): Promise<void> {
  const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
  const other = vscode.window.tabGroups.all.find((g) => !(g.activeTab?.input instanceof vscode.TabInputWebview));
  await vscode.window.showTextDocument(uri, { selection, viewColumn: shown?.viewColumn ?? other?.viewColumn ?? vscode.ViewColumn.One });
}
