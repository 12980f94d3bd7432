// The extension: it starts diffprof's language server and shows what it says.
// Nothing is analysed here.

import * as vscode from "vscode";
import { Commands } from "./commands.ts";
import { registerHover } from "./hover.ts";
import { Overlay } from "./overlay.ts";
import { Panel } from "./panel.ts";
import { Results } from "./results.ts";
import { RunsView } from "./runsView.ts";
import { Server } from "./server.ts";
import { Status } from "./status.ts";
import { TasksView } from "./tasksView.ts";

let server: Server | null = null;

export function activate(context: vscode.ExtensionContext): void {
  server = new Server(context);
  const results = new Results(server);
  const status = new Status(results, server);
  const runs = new RunsView(context.workspaceState);
  const panel = new Panel(context, server, results);
  const commands = new Commands(context, server, results, runs, panel);
  const overlay = new Overlay(results);
  server.onCompared((c) => void runs.add(c));
  context.subscriptions.push(
    server, results, status, runs, panel, overlay, new TasksView(results), registerHover(results), ...commands.register(overlay),
    vscode.window.registerWebviewPanelSerializer(Panel.type, panel),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      status.absent("idle");
      void wake();
    }),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("diffprof.server.path")) void server?.stop().then(wake);
      else if (e.affectsConfiguration("diffprof.subject") || e.affectsConfiguration("diffprof.reference")) void wake();
    }),
  );
  if (!vscode.workspace.isTrusted) status.absent("untrusted");
  else void wake();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

// wake starts the server where the settings give it something to compare: a folder
// of Java in which nobody asked for diffprof has no use for a process.
async function wake(): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const config = vscode.workspace.getConfiguration("diffprof");
  if ((config.get("subject") && config.get("reference")) || (await projectFile())) await server?.start();
}

async function projectFile(): Promise<boolean> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    try {
      await vscode.workspace.fs.stat(vscode.Uri.joinPath(folder.uri, "diffprof.yaml"));
      return true;
    } catch {
      continue;
    }
  }
  return false;
}
