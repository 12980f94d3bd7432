// The viewer of recordings: a click on a trace opens it as a single run, in the app of the
// HTML report.

import { dirname } from "node:path";
import * as vscode from "vscode";
import { Absent, background, cancelled, refused, words } from "./errors.ts";
import { methods } from "./protocol.ts";
import type { Server } from "./server.ts";
import { goToMethod } from "./source.ts";
import { base } from "./text.ts";
import { allowed, fill, type FromApp } from "./webview.ts";

/** viewers are the types of custom editors: one for files without any other viewer, and one for files that may be texts. */
export const viewers = ["diffprof.trace", "diffprof.profile"] as const;

export class Viewer implements vscode.CustomReadonlyEditorProvider {
  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
  ) {}

  /** register registers the viewer with VS Code. */
  register(): vscode.Disposable[] {
    const options = { webviewOptions: { retainContextWhenHidden: true, enableFindWidget: true }, supportsMultipleEditorsPerDocument: true };
    return viewers.map((type) => vscode.window.registerCustomEditorProvider(type, this, options));
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = allowed;
    // The energy view opens first. After that, the view that the user chose stays.
    let view: object | null = { type: "view", view: "energy" };
    const send = () => background(this.server.log, `showing ${base(uri.path)}`, this.send(uri, panel.webview).then((sent) => {
      if (sent && view) void panel.webview.postMessage(view);
      if (sent) view = null;
    }));
    panel.webview.onDidReceiveMessage((m: FromApp) => {
      if (m?.type === "ready") send();
      else if (m?.type === "copy") void vscode.env.clipboard.writeText(String(m.text));
      else if (m?.type === "open") background(this.server.log, "showing a method", this.open(m));
    });
    // A new recording may replace the file.
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(dirname(uri.fsPath)), base(uri.path)));
    watcher.onDidChange(send);
    watcher.onDidCreate(send);
    panel.onDidDispose(() => watcher.dispose());
    await fill(panel.webview, this.extension, "Reading the recording…");
  }

  // send sends a run, or the reason why it cannot be read. It returns whether it sent a run.
  private async send(uri: vscode.Uri, webview: vscode.Webview): Promise<boolean> {
    try {
      if (!(await this.server.start())) throw new Absent();
      void webview.postMessage({ type: "tree", ...(await this.server.ask<object>(methods.run, { path: uri.fsPath })) });
      return true;
    } catch (err) {
      if (cancelled(err)) return false;
      const message = err instanceof Absent ? "The program diffprof is not running. The Tasks view shows the reason and the remedies." : words(err);
      void webview.postMessage({ type: "failed", message });
      return false;
    }
  }

  // The server finds sources only for compared runs.
  private async open(m: FromApp & { type: "open" }): Promise<void> {
    try {
      await goToMethod(this.server, String(m.method), String(m.file), Number(m.line) || 0);
    } catch (err) {
      if (!refused(err)) throw err;
      void vscode.window.showInformationMessage("Compare this run with another to open its sources.");
    }
  }
}
