// A read-only document that lists the packages and their owners, like the command line. It
// changes with the settings.

import * as vscode from "vscode";
import type { Results } from "./results.ts";
import type { Server } from "./server.ts";

const scheme = "diffprof";
const uri = vscode.Uri.from({ scheme, path: "Packages" });

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
    const { text } = await this.server.command<{ text: string }>("diffprof.listPackages", { format: "text" });
    return `${text}\nThe settings appPackages, frameworkPackages and ownPackages change the owner of a package.\n`;
  }

  async show(): Promise<void> {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
