// The status bar item, and the keys that enable views and menus. Each event computes both from the
// current state.

import * as vscode from "vscode";
import { background } from "./errors.ts";
import type { Failure } from "./failure.ts";
import type { Results } from "./results.ts";
import type { Presence, Progress, Server } from "./server.ts";
import { findings, pair, percent, plain } from "./text.ts";

type State = "untrusted" | "missing" | "ended" | "idle" | "comparing" | "failed" | "ready";

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("diffprof.status", vscode.StatusBarAlignment.Left, 10);
  private presence: Presence;
  private progress: Progress | null = null;
  // answered is set once the server has reported whether it has a comparison.
  private answered = false;

  constructor(
    private readonly results: Results,
    private readonly failure: Failure,
    private readonly server: Server,
  ) {
    this.item.name = "Diffprof";
    this.presence = vscode.workspace.isTrusted ? "idle" : "untrusted";
    server.onProgress((p) => {
      this.progress = p;
      this.draw();
    });
    server.onPresence((p) => {
      this.presence = p;
      this.answered = false;
      this.draw();
    });
    results.onUpdated(() => {
      if (this.presence === "running") this.answered = true;
      this.draw();
    });
    failure.onChanged(() => this.draw());
    this.draw();
  }

  /** trusted records that the folder is trusted now. */
  trusted(): void {
    this.presence = "idle";
    this.draw();
  }

  dispose(): void {
    this.item.dispose();
  }

  private draw(): void {
    const state = this.state();
    this.setKey("diffprof.state", state);
    this.setKey("diffprof.busy", this.progress !== null);
    if (this.progress) this.work(this.progress);
    else if (state === "untrusted") this.show("$(shield)", "Diffprof: not trusted", "Diffprof starts no program in an untrusted folder. Click to manage trust.", "workbench.trust.manage");
    else if (state === "missing") this.show("$(warning)", "Diffprof", "The program diffprof was not found, or has an incompatible version. Click to choose it.", "diffprof.chooseServer");
    else if (state === "ended") this.show("$(error)", "Diffprof", "diffprof keeps crashing and was not restarted. Click for the log.", "diffprof.showLog");
    else if (this.failure.reason()) this.show("$(error)", "Diffprof: not compared", this.failure.reason(), "diffprof.tasks.focus");
    else if (state === "ready") this.sum();
    else this.item.hide();
  }

  private state(): State {
    if (this.presence !== "starting" && this.presence !== "running") return this.presence;
    if (this.results.comparison) return "ready";
    if (this.progress) return "comparing";
    return this.failure.reason() ? "failed" : this.presence === "running" && this.answered ? "idle" : "comparing";
  }

  // setKey sets a key for the conditions of views and menus.
  private setKey(key: string, value: unknown): void {
    background(this.server.log, `setting ${key}`, vscode.commands.executeCommand("setContext", key, value));
  }

  private work(p: Progress): void {
    const what = p.message || "comparing";
    const tooltip = new vscode.MarkdownString(`Diffprof: ${plain(what)}\n\n[Cancel](command:diffprof.cancel)`);
    tooltip.isTrusted = { enabledCommands: ["diffprof.cancel"] };
    this.show("$(sync~spin)", `Diffprof ${p.percent} %`, what, "diffprof.showLog", tooltip);
  }

  private sum(): void {
    const c = this.results.comparison;
    if (!c) return;
    const words = [
      `Diffprof: ${pair(c)}`,
      ...(c.sentences ?? []),
      `${c.matched}.`,
      `${percent(c.outsideShare)} of the energy is outside tasks.`,
      `Call paths of a matched pair differ by up to α = ${c.alpha} steps.`,
    ];
    this.show("$(beaker)", `Diffprof: ${findings(c)}`, words.join("\n"), "diffprof.showSummary");
  }

  private show(icon: string, text: string, words: string, command: string, tooltip: string | vscode.MarkdownString = words): void {
    this.item.text = `${icon} ${text}`;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: `${text}. ${words}` };
    this.item.show();
  }
}
