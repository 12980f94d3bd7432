// The Tasks view: the list of the comparison, most room for saving first, and below
// it, folded, what has none.

import * as vscode from "vscode";
import type { Task } from "./protocol.ts";
import type { Results } from "./results.ts";
import { pair, percent, savingShare, short } from "./text.ts";

// Those tasks that are no dearer than in the reference.
const rest = Symbol("rest");

type Entry = Task | typeof rest;

export class TasksView implements vscode.TreeDataProvider<Entry>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Entry>;

  constructor(private readonly results: Results) {
    this.view = vscode.window.createTreeView("diffprof.tasks", { treeDataProvider: this });
    results.onUpdated(() => this.update());
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  getChildren(parent?: Entry): Entry[] {
    const others = this.results.tasks.filter((t) => t.savingNJ <= 0);
    if (parent) return parent === rest ? others : [];
    const worse = this.results.tasks.filter((t) => t.savingNJ > 0);
    return others.length > 0 ? [...worse, rest] : worse;
  }

  getTreeItem(entry: Entry): vscode.TreeItem {
    return entry === rest ? this.restItem() : this.taskItem(entry);
  }

  // What a filter found is shown.
  private restItem(): vscode.TreeItem {
    const { tasks, text } = this.results;
    const others = tasks.filter((t) => t.savingNJ <= 0).length;
    const open = text !== "" || others === tasks.length;
    const item = new vscode.TreeItem("Nothing to save", open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
    item.id = open ? "rest, open" : "rest";
    item.description = `${others} ${others === 1 ? "task" : "tasks"}`;
    item.tooltip = "Tasks that drain no more than in the reference";
    item.contextValue = "rest";
    return item;
  }

  private taskItem(task: Task): vscode.TreeItem {
    const item = new vscode.TreeItem(short(task.method));
    const share = percent(Math.abs(savingShare(task, this.results.comparison?.energyNJ ?? 0)));
    const where = task.callers[0] ? short(task.callers[0].method) : "";
    const more = task.callers.length > 1 ? ` +${task.callers.length - 1}` : "";
    item.id = task.id;
    item.description = [task.savingNJ === 0 ? "" : task.savingNJ > 0 ? share : `−${share}`, where && where + more].filter(Boolean).join(" · ");
    item.iconPath = icon(task);
    item.tooltip = tooltip(task);
    item.contextValue = task.locations.length > 0 ? "task placed" : "task";
    const saving = task.savingNJ > 0 ? `could save ${share} of the run` : task.savingNJ < 0 ? `saves ${share} of the run already` : "costs the same in both";
    item.accessibilityInformation = { label: [short(task.method), task.status === "unmatched" ? "only here" : "in both", saving, where && `called in ${where}`].filter(Boolean).join(", ") };
    item.command = { command: task.locations.length > 0 ? "diffprof.goToTask" : "diffprof.showTask", title: "Open", arguments: [task] };
    return item;
  }

  private update(): void {
    const { comparison, tasks, text } = this.results;
    this.view.description = [text && `“${text}”`, comparison && pair(comparison)].filter(Boolean).join(" · ");
    const worse = tasks.filter((t) => t.savingNJ > 0).length;
    this.view.badge = worse > 0 ? { value: worse, tooltip: `${worse} ${worse === 1 ? "task drains" : "tasks drain"} more than in the reference` } : undefined;
    this.changed.fire();
  }
}

// Colours are those of the charts, which every theme has, and shapes differ too.
function icon(task: Task): vscode.ThemeIcon {
  if (task.status === "unmatched") return new vscode.ThemeIcon("diff-added", new vscode.ThemeColor("charts.red"));
  if (task.savingNJ > 0) return new vscode.ThemeIcon("arrow-up", new vscode.ThemeColor("charts.orange"));
  if (task.savingNJ < 0) return new vscode.ThemeIcon("arrow-down", new vscode.ThemeColor("charts.blue"));
  return new vscode.ThemeIcon("dash");
}

// Names come from traces: they are appended as text, never as Markdown.
function tooltip(task: Task): vscode.MarkdownString {
  const md = new vscode.MarkdownString();
  md.appendText(task.message);
  md.appendMarkdown("\n\n---\n\n");
  md.appendText(task.method);
  for (const c of task.callers.slice(0, 5)) {
    md.appendMarkdown("\n\n- ");
    md.appendText(`called by ${c.method}${c.file ? ` (${c.file})` : ""}${c.calls ? `, ${c.calls}×` : ""}`);
  }
  if (task.callers.length > 5) md.appendMarkdown(`\n\n- and ${task.callers.length - 5} more`);
  if (task.locations.length === 0) md.appendMarkdown("\n\nIts callers are not in the workspace.");
  return md;
}
