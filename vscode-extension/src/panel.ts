// The webview: the app of the HTML report, with data from the server. web/src/host.ts
// describes the messages.

import * as vscode from "vscode";
import { background, refused, told, words } from "./errors.ts";
import { flaskRows, methods } from "./protocol.ts";
import type { Results } from "./results.ts";
import type { Server } from "./server.ts";
import { goToMethod } from "./source.ts";
import { allowed, fill, type FromApp } from "./webview.ts";

/** A Show is a message that makes the view show a task or a tab. */
export type Show = { type: "open"; task: string } | { type: "view"; view: "tasks" | "run" | "summary" };

export class Panel implements vscode.Disposable, vscode.WebviewPanelSerializer {
  static readonly type = "diffprof.report";
  private panel: vscode.WebviewPanel | null = null;
  // The message to send as soon as the app is ready.
  private wanted: Show | null = null;
  private listens = false;
  // The last data sent: the messages of its tasks, and the whole report.
  private messages = "";
  private sent = "";

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    results: Results,
  ) {
    server.onCompared((c) => {
      if (!c.error) void this.sendReport();
    });
    // Settings such as the unit change the report and its messages. Edits only change places in the
    // sources, which the report does not have.
    results.onUpdated(() => {
      const messages = results.tasks.map((t) => t.message).join("\n");
      if (messages !== this.messages) void this.sendReport(false);
      this.messages = messages;
    });
  }

  /** show shows a task or a tab. column is used if the panel is not open. */
  async show(what: Show, column: vscode.ViewColumn = vscode.ViewColumn.Beside): Promise<void> {
    if (!this.panel) {
      this.wanted = what;
      await this.adopt(
        vscode.window.createWebviewPanel(Panel.type, "Diffprof", { viewColumn: column, preserveFocus: false }, this.options()),
      );
      return;
    }
    this.panel.reveal(undefined, false);
    if (this.listens) this.post(what);
    else this.wanted = what;
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = this.options();
    await this.adopt(panel);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private options(): vscode.WebviewOptions & vscode.WebviewPanelOptions {
    return { ...allowed, retainContextWhenHidden: true, enableFindWidget: true };
  }

  private async adopt(panel: vscode.WebviewPanel): Promise<void> {
    this.panel?.dispose();
    this.panel = panel;
    this.listens = false;
    panel.iconPath = vscode.Uri.joinPath(this.context.extensionUri, "media", "flask-panel.svg");
    panel.onDidDispose(() => {
      if (this.panel === panel) {
        this.panel = null;
        this.listens = false;
      }
    });
    panel.webview.onDidReceiveMessage((m: FromApp) => background(this.server.log, `answering the view's ${m?.type}`, this.receive(panel, m)));
    await fill(panel.webview, this.context.extensionUri, "Waiting for the comparison…");
  }

  private post(message: unknown): void {
    void this.panel?.webview.postMessage(message);
  }

  private async receive(panel: vscode.WebviewPanel, m: FromApp): Promise<void> {
    if (panel !== this.panel) return;
    switch (m?.type) {
      case "ready": {
        this.listens = true;
        await this.sendReport();
        if (this.wanted) this.post(this.wanted);
        this.wanted = null;
        return;
      }
      case "flask":
        return this.sendFlask(String(m.id));
      case "open":
        return goToMethod(this.server, String(m.method), String(m.file), Number(m.line) || 0);
      case "copy":
        return vscode.env.clipboard.writeText(String(m.text));
      case "title":
        panel.title = String(m.text);
    }
  }

  // anew sends the report even if it is unchanged, since the call trees may have changed.
  private async sendReport(anew = true): Promise<void> {
    if (!this.listens) return;
    try {
      const report = await this.server.ask<object>(methods.report, {});
      const data = JSON.stringify(report);
      if (!anew && data === this.sent) return;
      this.sent = data;
      this.post({ type: "report", ...report });
    } catch (err) {
      this.post({ type: "failed", message: failure(err) });
    }
  }

  private async sendFlask(id: string): Promise<void> {
    try {
      this.post({ type: "flask", id, flask: await this.server.ask(methods.flask, { task: id, maxRows: flaskRows }) });
      // Showing a flask completes a step of the walkthrough.
      if (id) await vscode.commands.executeCommand("setContext", "diffprof.flask", true);
    } catch (err) {
      this.post({ type: "flaskFailed", id, message: failure(err) });
    }
  }
}

// A reloaded window shows its views again before a comparison.
function failure(err: unknown): string {
  return told(err) || refused(err) ? "No comparison yet. Compare two traces in the Tasks view, or repeat a comparison in the Runs view." : words(err);
}
