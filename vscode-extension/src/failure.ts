// The reason why the last comparison failed: the server's message or, if none began, the
// error in diffprof.yaml.

import * as vscode from "vscode";
import type { Comparison } from "./protocol.ts";
import type { Server } from "./server.ts";
import { base } from "./text.ts";

/** projectFile is the name of the file with a project's settings. */
export const projectFile = "diffprof.yaml";

export class Failure implements vscode.Disposable {
  // The reason of the last comparison; empty if it did not fail.
  private message = "";
  private compared = false;
  private shown = "";
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onChanged = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(server: Server) {
    server.onCompared((c) => this.take(c));
    server.onPresence((p) => p !== "running" && this.clear());
    this.subscription = vscode.languages.onDidChangeDiagnostics((e) => {
      if (e.uris.some((uri) => base(uri.path) === projectFile)) this.tell();
    });
  }

  /** reason returns the reason why the last comparison failed, or why none exists. It is empty
   * without an error. */
  reason(): string {
    if (this.message) return this.message;
    const wrong = this.compared ? undefined : this.wrong();
    return wrong ? `${projectFile}, line ${wrong.at.range.start.line + 1}: ${wrong.at.message}` : "";
  }

  /** open shows the project's file at its error. */
  async open(): Promise<void> {
    const wrong = this.wrong();
    const files = wrong ? [wrong.uri] : await vscode.workspace.findFiles(projectFile, undefined, 1);
    if (files[0]) await vscode.window.showTextDocument(files[0], { selection: wrong?.at.range });
    else void vscode.window.showInformationMessage(`Diffprof: this folder has no ${projectFile}.`);
  }

  /** clear forgets the last comparison. */
  clear(): void {
    this.message = "";
    this.compared = false;
    this.tell();
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  // A failed comparison keeps the previous results.
  private take(c: Comparison): void {
    this.message = c.error ?? "";
    this.compared ||= !c.error;
    this.tell();
  }

  private tell(): void {
    const reason = this.reason();
    if (reason === this.shown) return;
    this.shown = reason;
    this.changed.fire();
  }

  private wrong(): { uri: vscode.Uri; at: vscode.Diagnostic } | undefined {
    for (const [uri, list] of vscode.languages.getDiagnostics()) {
      if (base(uri.path) !== projectFile) continue;
      const at = list.find((d) => d.source === "diffprof" && d.severity === vscode.DiagnosticSeverity.Error);
      if (at) return { uri, at };
    }
    return undefined;
  }
}
