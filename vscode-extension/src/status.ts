// The status bar item: first the progress, then the energy that could be saved and α.

import * as vscode from "vscode";
import { background } from "./errors.ts";
import type { Results } from "./results.ts";
import type { Absence, Progress, Server } from "./server.ts";
import { pair, percent, plain, saving } from "./text.ts";

type State = Absence | "comparing" | "ready";

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("diffprof.status", vscode.StatusBarAlignment.Left, 10);
  private busy = false;

  constructor(
    private readonly results: Results,
    private readonly server: Server,
  ) {
    this.item.name = "Diffprof";
    server.onProgress((p) => {
      this.busy = p !== null;
      if (p) this.progress(p);
      else this.rest();
      this.settle();
    });
    server.onCompared((c) => {
      if (c.error) this.show("$(error)", "Diffprof", c.error, "diffprof.showLog");
    });
    server.onAbsent((why) => this.absent(why));
    results.onUpdated(() => {
      if (!this.busy) this.rest();
      this.settle();
    });
  }

  absent(why: Absence): void {
    this.busy = false;
    this.state(why);
    if (why === "untrusted") this.show("$(shield)", "Diffprof: not trusted", "Diffprof starts no program in a folder that is not trusted.", "workbench.trust.manage");
    else if (why === "missing") this.show("$(warning)", "Diffprof", "The program diffprof was not found, or does not fit. Click to choose it.", "diffprof.chooseServer");
    else if (why === "ended") this.show("$(error)", "Diffprof", "The program diffprof ended again and again. Click for the log.", "diffprof.showLog");
    else this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }

  private settle(): void {
    this.tell("diffprof.busy", this.busy);
    this.tell("diffprof.filtered", this.results.text !== "");
    this.state(this.results.comparison ? "ready" : this.busy ? "comparing" : "idle");
  }

  private state(state: State): void {
    this.tell("diffprof.state", state);
  }

  // The conditions of views and menus use these keys.
  private tell(key: string, value: unknown): void {
    background(this.server.log, `telling ${key}`, vscode.commands.executeCommand("setContext", key, value));
  }

  private progress(p: Progress): void {
    const what = p.message || "comparing";
    const tooltip = new vscode.MarkdownString(`Diffprof: ${plain(what)}\n\n[Cancel](command:diffprof.cancel)`);
    tooltip.isTrusted = { enabledCommands: ["diffprof.cancel"] };
    this.show("$(sync~spin)", `Diffprof ${p.percent} %`, what, "diffprof.showLog", tooltip);
  }

  private rest(): void {
    const c = this.results.comparison;
    if (!c) return this.item.hide();
    const words = [
      `Diffprof: ${pair(c)}, α ${c.alpha}`,
      `${c.matched}.`,
      c.littleInCommon ? "These runs have little in common: most is only here." : `${saving(c)} of the run's energy is more than the reference's tasks drain.`,
      `${percent(c.outsideShare)} of the energy is outside of tasks.`,
    ];
    this.show("$(beaker)", `${c.tasks - c.unmatched} of ${c.tasks} in both · ${saving(c)} ${c.littleInCommon ? "only here" : "to save"} · α ${c.alpha}`, words.join("\n"), "diffprof.showSummary");
  }

  private show(icon: string, text: string, words: string, command: string, tooltip: string | vscode.MarkdownString = words): void {
    this.item.text = `${icon} ${text}`;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: `${text}. ${words}` };
    this.item.show();
  }
}
