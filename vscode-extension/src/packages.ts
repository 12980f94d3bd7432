// A read-only document that lists the packages and whose code each is. It changes with
// the settings.

import * as vscode from "vscode";
import type { Results } from "./results.ts";
import type { Server } from "./server.ts";

const scheme = "diffprof";
const uri = vscode.Uri.from({ scheme, path: "packages.json" });

export class Packages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  constructor(
    private readonly server: Server,
    private readonly results: Results,
  ) {
    results.onUpdated(() => this.changed.fire(uri));
  }

  async provideTextDocumentContent(): Promise<string> {
    if (!this.results.comparison) return "";
    return JSON.stringify(await this.server.command("diffprof.listPackages"), null, 2);
  }

  async show(): Promise<void> {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
