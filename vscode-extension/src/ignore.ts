// Ignores a task: the server returns the edit of diffprof.yaml.

import * as vscode from "vscode";
import type { WorkspaceEdit } from "vscode-languageclient/node";
import type { Task } from "./protocol.ts";
import type { Server } from "./server.ts";
import { base } from "./text.ts";

export async function ignoreTask(server: Server, task: Task): Promise<void> {
  const client = await server.start();
  if (!client) return;
  const edit = await client.protocol2CodeConverter.asWorkspaceEdit(await server.command<WorkspaceEdit>("diffprof.ignoreTask", { task: task.id }));
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error("diffprof.yaml could not be changed");
  const [file, changes] = edit.entries()[0] ?? [];
  if (!file) return;
  const document = await vscode.workspace.openTextDocument(file);
  await document.save();
  const why = "Add a Reason";
  if ((await vscode.window.showInformationMessage(`${task.short} is ignored in ${base(file.path)}.`, why)) !== why) return;
  await vscode.window.showTextDocument(document, { selection: reason(document, changes?.[0]) });
}

// reason finds the placeholder for the reason that the user fills in.
function reason(document: vscode.TextDocument, change: vscode.TextEdit | undefined): vscode.Range | undefined {
  const from = change ? document.offsetAt(change.range.start) : 0;
  const found = /^\s*reason: (.*)$/m.exec(document.getText().slice(from));
  if (!found) return undefined;
  const end = from + found.index + found[0].length;
  return new vscode.Range(document.positionAt(end - found[1]!.length), document.positionAt(end));
}
