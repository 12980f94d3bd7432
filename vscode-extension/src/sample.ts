// The sample app of the extension. It is copied before it is opened, so that users can
// change it and updates of the extension do not remove it.

import { cp, readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { background } from "./errors.ts";
import type { Panel } from "./panel.ts";
import type { Results } from "./results.ts";
import type { Server } from "./server.ts";

// The copied source gets a date before the recording. Otherwise the server would report that it has
// changed since the recording.
const written = new Date("2010-01-01T00:00:00Z");

// The sample opens in another window. Under this key, the state tells that window to show the sample.
const key = "diffprof.sampleOpened";

export async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const to = folder(context);
  await copySample(vscode.Uri.joinPath(context.extensionUri, "sample").fsPath, to.fsPath);
  await context.globalState.update(key, Date.now());
  if (isSample(context)) return showSample(context);
  await vscode.commands.executeCommand("vscode.openFolder", to, { forceNewWindow: (vscode.workspace.workspaceFolders?.length ?? 0) > 0 });
}

/** welcome shows the sample in its new window: its page, its tasks, and the flask of the costliest task. */
export function welcome(context: vscode.ExtensionContext, server: Server, results: Results, panel: Panel): vscode.Disposable {
  const asked = context.globalState.get<number>(key, 0);
  if (!isSample(context) || Date.now() - asked > 10 * 60_000) return { dispose: () => {} };
  background(server.log, "showing the sample", showSample(context));
  const subscription = results.onUpdated(() => {
    const costliest = results.tasks.find((t) => t.kind === "task");
    if (!costliest) return;
    subscription.dispose();
    background(server.log, "showing the sample's flask", panel.show({ type: "open", task: costliest.id }));
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

// Keep existing files, since the user may have changed them.
async function copySample(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, force: false });
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(java|kt)$/.test(entry.name)) continue;
    const [source, copy] = [join(entry.parentPath, entry.name), join(to, entry.parentPath.slice(from.length), entry.name)];
    const [a, b] = await Promise.all([readFile(source), readFile(copy)]);
    if (a.equals(b)) await utimes(copy, written, written);
  }
}
