// The sample app. It ships with the extension, and is copied before it is opened, so
// that users may change it and updates of the extension do not remove it.

import { cp, readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

// The source gets a date before the recording: to the server that is source that has
// not changed since.
const written = new Date("2010-01-01T00:00:00Z");

export async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const to = vscode.Uri.joinPath(context.globalStorageUri, "sample");
  await copySample(vscode.Uri.joinPath(context.extensionUri, "sample").fsPath, to.fsPath);
  await vscode.commands.executeCommand("vscode.openFolder", to, { forceNewWindow: (vscode.workspace.workspaceFolders?.length ?? 0) > 0 });
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
