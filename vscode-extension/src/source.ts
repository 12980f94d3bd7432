// Shows the source of the methods in a trace. The server knows the places.

import * as vscode from "vscode";
import type { Range } from "vscode-languageclient/node";
import { methods, type Source, type Task } from "./protocol.ts";
import type { Server } from "./server.ts";
import { base } from "./text.ts";

interface Place {
  uri: string;
  range: Range;
  /** what the method at that place is called */
  short: string;
  stale: string;
}

/** goToTask shows where the app calls a task. If there are several places, it asks. */
export async function goToTask(task: Task): Promise<void> {
  const name = task.short;
  await goTo(task.locations, `${name} is called in`, `No caller of ${name} is in the workspace.`);
}

/** goToMethod shows a method's source. */
export async function goToMethod(server: Server, method: string, file: string, line: number): Promise<void> {
  const { locations, short: name, stale } = await server.ask<Source>(methods.source, { method, file, line });
  await goTo(locations.map((at) => ({ ...at, short: name, stale })), `${name} is in`, `${name}${file ? ` (${file})` : ""} is not in the workspace.`);
}

/** range is VS Code's range for the protocol's. */
export function range({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

async function goTo(places: readonly Place[], title: string, none: string): Promise<void> {
  let at = places[0];
  if (!at) return void vscode.window.showInformationMessage(none);
  if (places.length > 1) {
    const items = places.map((p) => ({
      label: `$(symbol-method) ${p.short}`,
      description: `${base(vscode.Uri.parse(p.uri).path)}:${p.range.start.line + 1}`,
      detail: p.stale ? `${p.short} ${p.stale}` : undefined,
      at: p,
    }));
    at = (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.at;
  }
  if (at) await open(vscode.Uri.parse(at.uri), range(at.range));
}

// Beside the webview, not in its place.
async function open(uri: vscode.Uri, selection: vscode.Range): Promise<void> {
  const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
  const other = vscode.window.tabGroups.all.find((g) => !(g.activeTab?.input instanceof vscode.TabInputWebview));
  await vscode.window.showTextDocument(uri, { selection, viewColumn: shown?.viewColumn ?? other?.viewColumn ?? vscode.ViewColumn.One });
}
