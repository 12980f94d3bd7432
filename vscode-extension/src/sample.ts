// The sample app: it ships with the extension, and is copied before it is opened,
// so that it may be changed and outlives the extension's updates.

import * as vscode from "vscode";

export async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const to = vscode.Uri.joinPath(context.globalStorageUri, "sample");
  try {
    await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, "sample"), to, { overwrite: true });
  } catch (err) {
    void vscode.window.showErrorMessage(`Diffprof: the sample app could not be copied to ${to.fsPath}: ${err instanceof Error ? err.message : err}`);
    return;
  }
  await vscode.commands.executeCommand("vscode.openFolder", to, { forceNewWindow: (vscode.workspace.workspaceFolders?.length ?? 0) > 0 });
}
