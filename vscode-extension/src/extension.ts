// The extension: it starts diffprof's language server and shows its results. It analyses
// nothing itself.

import * as vscode from "vscode";
import { registerAssistant } from "./assistant.ts";
import { Commands } from "./commands.ts";
import { background } from "./errors.ts";
import { Failure, projectFile } from "./failure.ts";
import { registerHover } from "./hover.ts";
import { Overlay } from "./overlay.ts";
import { Packages } from "./packages.ts";
import { Panel } from "./panel.ts";
import { Results } from "./results.ts";
import { RunsView } from "./runsView.ts";
import { welcome } from "./sample.ts";
import { Server } from "./server.ts";
import { Status } from "./status.ts";
import { TasksView } from "./tasksView.ts";
import { Viewer } from "./viewer.ts";

let stop: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const server = new Server(context);
  stop = () => server.stop();
  const results = new Results(server);
  const failure = new Failure(server);
  const status = new Status(results, failure, server);
  const list = new TasksView(context.extensionUri, context.workspaceState, results, failure);
  const runs = new RunsView(context.workspaceState, results);
  const panel = new Panel(context, server, results);
  const packages = new Packages(server, results);
  const commands = new Commands(context, server, results, failure, list, runs, panel, packages);
  const wake = () => background(server.log, "starting", wanted().then((w) => (w ? server.start() : null)));
  server.onCompared((c) => background(server.log, "keeping a run", runs.add(c)));
  context.subscriptions.push(
    server, results, failure, status, list, runs, panel, new Overlay(results, server), packages, registerHover(server, results), ...commands.register(),
    ...registerAssistant(context.extensionPath, server.log),
    ...new Viewer(context.extensionUri, server).register(), welcome(context, server, results, panel),
    vscode.window.registerWebviewPanelSerializer(Panel.type, panel),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      status.trusted();
      wake();
    }),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("diffprof.server.path")) background(server.log, "starting another program", server.stop().then(wake));
      else if (e.affectsConfiguration("diffprof.subject") || e.affectsConfiguration("diffprof.reference")) wake();
    }),
  );
  if (vscode.workspace.isTrusted) wake();
}

export function deactivate(): Promise<void> | undefined {
  return stop?.();
}

// wanted reports whether the settings name traces to compare, or a project file exists in the
// folder, or above it up to the root of the repository.
async function wanted(): Promise<boolean> {
  if (!vscode.workspace.isTrusted) return false;
  const config = vscode.workspace.getConfiguration("diffprof");
  if (config.get("subject") && config.get("reference")) return true;
  const has = (folder: vscode.Uri, name: string) => vscode.workspace.fs.stat(vscode.Uri.joinPath(folder, name)).then(() => true, () => false);
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    for (let folder = uri; ; folder = vscode.Uri.joinPath(folder, "..")) {
      if (await has(folder, projectFile)) return true;
      if (folder.path === "/" || folder.path === vscode.Uri.joinPath(folder, "..").path || (await has(folder, ".git"))) break;
    }
  }
  return false;
}
