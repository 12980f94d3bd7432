// The Runs view: the compared pairs of traces. A click compares a pair again.

import * as vscode from "vscode";
import type { Comparison } from "./protocol.ts";
import type { Results } from "./results.ts";
import { forget, remember, same, valid, type Run } from "./runs.ts";
import { cameTo, pair, since } from "./text.ts";

const key = "diffprof.runs";

export class RunsView implements vscode.TreeDataProvider<Run>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Run>;

  constructor(
    private readonly state: vscode.Memento,
    private readonly results: Results,
  ) {
    this.view = vscode.window.createTreeView("diffprof.runs", { treeDataProvider: this });
    // Redraw, so that the ages of the runs are current.
    this.view.onDidChangeVisibility((e) => e.visible && this.changed.fire());
    let shown = "";
    results.onUpdated(() => {
      const now = JSON.stringify([results.comparison?.subject, results.comparison?.reference]);
      if (now !== shown) this.changed.fire();
      shown = now;
    });
  }

  async add(c: Comparison): Promise<void> {
    if (c.error || !c.subject || !c.reference) return;
    const run: Run = {
      subject: c.subject, reference: c.reference, when: Date.now(), alpha: c.alpha, findings: c.findings, sentence: c.sentences?.[0],
    };
    await this.store(remember(this.runs(), run));
  }

  async forget(run: Run): Promise<void> {
    await this.store(forget(this.runs(), run));
  }

  /** runs returns the pairs, newest first. */
  runs(): Run[] {
    return valid(this.state.get(key));
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  getChildren(parent?: Run): Run[] {
    return parent ? [] : this.runs();
  }

  getTreeItem(run: Run): vscode.TreeItem {
    const item = new vscode.TreeItem(pair(run));
    item.id = JSON.stringify([run.subject, run.reference]);
    item.description = [cameTo(run), since(run.when, Date.now())].filter(Boolean).join(" · ");
    item.iconPath = new vscode.ThemeIcon(same(this.results.comparison ?? {}, run) ? "pass" : "history");
    item.tooltip = [run.subject, `compared with ${run.reference}`, run.sentence, `α ${run.alpha}`].filter(Boolean).join("\n");
    item.contextValue = "run";
    item.command = { command: "diffprof.compare", title: "Compare Again", arguments: [{ subject: run.subject, reference: run.reference }] };
    return item;
  }

  private async store(runs: Run[]): Promise<void> {
    await this.state.update(key, runs);
    this.changed.fire();
  }
}
