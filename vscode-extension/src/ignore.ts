// Ignoring a task: the server knows how to write that into diffprof.yaml, and
// offers it as a code action where the task is called.

import * as vscode from "vscode";
import type { Task } from "./protocol.ts";
import type { Server } from "./server.ts";
import { base, short } from "./text.ts";

export async function ignoreTask(server: Server, task: Task): Promise<void> {
  const client = await server.start();
  if (!client) return;
  const action = await offered(server, task);
  const edit = action?.edit && (await client.protocol2CodeConverter.asWorkspaceEdit(action.edit));
  if (!edit) {
    void vscode.window.showInformationMessage(
      `${short(task.method)} is not called from the workspace's sources. List it under ignore in diffprof.yaml.`,
    );
    return;
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    void vscode.window.showErrorMessage("diffprof.yaml could not be changed.");
    return;
  }
  for (const [uri] of edit.entries()) await (await vscode.workspace.openTextDocument(uri)).save();
  const file = edit.entries()[0]?.[0];
  const [show] = ["Show"];
  const answer = await vscode.window.showInformationMessage(`${short(task.method)} is ignored${file ? ` in ${base(file.path)}` : ""}.`, show);
  if (answer === show && file) await vscode.window.showTextDocument(file);
}

interface Action {
  title: string;
  edit?: Parameters<import("vscode-languageclient/node").LanguageClient["protocol2CodeConverter"]["asWorkspaceEdit"]>[0];
}

// A place may call several tasks: the action wanted is that of this task's method.
async function offered(server: Server, task: Task): Promise<Action | undefined> {
  for (const at of task.locations) {
    const actions = await server.request<Action[] | null>("textDocument/codeAction", {
      textDocument: { uri: at.uri }, range: at.range, context: { diagnostics: [], only: ["quickfix"] },
    });
    const edits = (actions ?? []).filter((a) => a.edit);
    const mine = edits.find((a) => a.title.includes(` ${short(task.method)} `));
    if (mine) return mine;
  }
  return undefined;
}
