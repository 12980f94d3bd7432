// The status bar item: progress, then what could be saved and α.

import * as vscode from "vscode";
import type { Results } from "./results.ts";
import type { Absence, Server } from "./server.ts";
import { pair, percent, status } from "./text.ts";

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("diffprof.status", vscode.StatusBarAlignment.Left, 10);
  private busy = false;

  constructor(private readonly results: Results, server: Server) {
    this.item.name = "Diffprof";
    server.onProgress((p) => {
      this.busy = p !== null;
      if (p) this.show("$(sync~spin)", `Diffprof ${p.percent} %`, p.message || "comparing", "diffprof.showLog");
      else this.rest();
      void this.state();
    });
    server.onCompared((c) => {
      if (c.error) this.failed(c.error);
    });
    server.onAbsent((why) => this.absent(why));
    results.onUpdated(() => {
      if (!this.busy) this.rest();
      void this.state();
    });
  }

  absent(why: Absence): void {
    this.busy = false;
    void vscode.commands.executeCommand("setContext", "diffprof.state", why);
    if (why === "untrusted") this.show("$(shield)", "Diffprof: not trusted", "Diffprof starts no program in a folder that is not trusted.", "workbench.trust.manage");
    else if (why === "missing") this.show("$(warning)", "Diffprof", "The program diffprof was not found, or does not fit. Click to choose it.", "diffprof.chooseServer");
    else this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }

  private async state(): Promise<void> {
    const state = this.results.comparison ? "ready" : this.busy ? "comparing" : "idle";
    await vscode.commands.executeCommand("setContext", "diffprof.state", state);
  }

  private failed(why: string): void {
    this.show("$(error)", "Diffprof", why, "diffprof.showLog");
  }

  private rest(): void {
    const c = this.results.comparison;
    if (!c) return this.item.hide();
    const outside = `${percent(c.outsideShare)} of the energy is outside of tasks`;
    this.show("$(beaker)", status(c), `Diffprof: ${pair(c)}\n${c.tasks} tasks, ${c.unmatched} only here; ${outside}`, "diffprof.showSummary");
  }

  private show(icon: string, text: string, tooltip: string, command: string): void {
    this.item.text = `${icon} ${text}`;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: `${text}. ${tooltip}` };
    this.item.show();
  }
}
