// The sample app. It ships with the extension, and is copied before it is opened, so
// that users may change it and updates of the extension do not remove it.

import { cp, readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { background } from "./errors.ts";
import type { Panel } from "./panel.ts";
import type { Results } from "./results.ts";
import type { Server } from "./server.ts";

// The source gets a date before the recording: to the server that is source that has
// not changed since.
const written = new Date("2010-01-01T00:00:00Z");

// The window that opens the sample is not the one that was told to: this tells it so.
const key = "diffprof.sampleOpened";

export async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const to = folder(context);
  await copySample(vscode.Uri.joinPath(context.extensionUri, "sample").fsPath, to.fsPath);
  await context.globalState.update(key, Date.now());
  if (isSample(context)) return showSample(context);
  await vscode.commands.executeCommand("vscode.openFolder", to, { forceNewWindow: (vscode.workspace.workspaceFolders?.length ?? 0) > 0 });
}

/** welcome leads on, in a window that has just opened the sample: its page, its tasks, and the flask of the dearest. */
export function welcome(context: vscode.ExtensionContext, server: Server, results: Results, panel: Panel): vscode.Disposable {
  const asked = context.globalState.get<number>(key, 0);
  if (!isSample(context) || Date.now() - asked > 10 * 60_000) return { dispose: () => {} };
  background(server.log, "showing the sample", showSample(context));
  const subscription = results.onUpdated(() => {
    const dearest = results.tasks.find((t) => t.kind === "task");
    if (!dearest) return;
    subscription.dispose();
    background(server.log, "showing the sample's flask", panel.show({ type: "open", task: dearest.id }));
  });
  return subscription;
}

async function showSample(context: vscode.ExtensionContext): Promise<void> {
  await context.globalState.update(key, undefined);
  await vscode.commands.executeCommand("diffprof.walkthrough");
  await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(folder(context), "README.md"));
  await vscode.commands.executeCommand("diffprof.tasks.focus");
}

function folder(context: vscode.ExtensionContext): vscode.Uri {
  return vscode.Uri.joinPath(context.globalStorageUri, "sample");
}

function isSample(context: vscode.ExtensionContext): boolean {
  return vscode.workspace.workspaceFolders?.[0]?.uri.toString() === folder(context).toString();
}

// Files that exist are kept: the user may have changed them.
async function copySample(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, force: false });
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(java|kt)$/.test(entry.name)) continue;
    const [source, copy] = [join(entry.parentPath, entry.name), join(to, entry.parentPath.slice(from.length), entry.name)];
    const [a, b] = await Promise.all([readFile(source), readFile(copy)]);
    if (a.equals(b)) await utimes(copy, written, written);
  }
}
