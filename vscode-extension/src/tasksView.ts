// The Tasks view: the tasks of the comparison, the largest saving first. Tasks without
// a saving follow in a folded group.

import * as vscode from "vscode";
import type { Task } from "./protocol.ts";
import type { Results } from "./results.ts";
import { difference, pair, percent, plain, savingShare } from "./text.ts";

// The group of the tasks that are no dearer than in the reference.
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
    const listed = this.results.listed();
    const others = listed.filter((t) => t.savingNJ <= 0);
    if (parent) return parent === rest ? others : [];
    const worse = listed.filter((t) => t.savingNJ > 0);
    return others.length > 0 ? [...worse, rest] : worse;
  }

  getTreeItem(entry: Entry): vscode.TreeItem {
    return entry === rest ? this.restItem() : this.taskItem(entry);
  }

  // The group is open if a filter is set, or if it holds all tasks.
  private restItem(): vscode.TreeItem {
    const listed = this.results.listed();
    const others = listed.filter((t) => t.savingNJ <= 0).length;
    const open = this.results.text !== "" || others === listed.length;
    const item = new vscode.TreeItem("Nothing to save", open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
    item.id = open ? "rest, open" : "rest";
    item.description = `${others} ${others === 1 ? "task" : "tasks"}`;
    item.tooltip = "Tasks that drain no more than in the reference";
    item.contextValue = "rest";
    return item;
  }

  private taskItem(task: Task): vscode.TreeItem {
    const item = new vscode.TreeItem(task.short);
    const share = percent(Math.abs(savingShare(task, this.results.comparison?.energyNJ ?? 0)));
    const where = task.callers[0]?.short ?? "";
    const more = task.callers.length > 1 ? ` +${task.callers.length - 1}` : "";
    item.id = task.id;
    item.description = [task.savingNJ === 0 ? "" : task.savingNJ > 0 ? share : `${share} less`, where && where + more].filter(Boolean).join(" · ");
    item.iconPath = icon(task);
    item.tooltip = tooltip(task);
    item.contextValue = task.locations.length > 0 ? "task placed" : "task";
    const saving = this.results.comparison ? difference(task, this.results.comparison) : "";
    item.accessibilityInformation = { label: [task.short, task.verdict, saving, where && `called in ${where}`].filter(Boolean).join(", ") };
    item.command = { command: task.locations.length > 0 ? "diffprof.goToTask" : "diffprof.showTask", title: "Open", arguments: [task] };
    return item;
  }

  private update(): void {
    const { comparison, text } = this.results;
    this.view.description = [text && `“${text}”`, comparison && pair(comparison)].filter(Boolean).join(" · ");
    this.changed.fire();
  }
}

// The colours are those of the web view. The shapes differ, too.
function icon(task: Task): vscode.ThemeIcon {
  if (task.verdict === "perhaps") return new vscode.ThemeIcon("question", new vscode.ThemeColor("diffprof.here"));
  if (task.status === "unmatched") return new vscode.ThemeIcon("diff-added", new vscode.ThemeColor("diffprof.here"));
  if (task.savingNJ > 0) return new vscode.ThemeIcon("arrow-up", new vscode.ThemeColor("diffprof.here"));
  if (task.savingNJ < 0) return new vscode.ThemeIcon("arrow-down", new vscode.ThemeColor("diffprof.there"));
  return new vscode.ThemeIcon("dash");
}

function tooltip(task: Task): vscode.MarkdownString {
  const callers = task.callers.slice(0, 5).map((c) => `- called by ${plain(c.method)}${c.file ? ` (${plain(c.file)})` : ""}${c.calls ? `, ${c.calls}×` : ""}`);
  if (task.callers.length > 5) callers.push(`- and ${task.callers.length - 5} more`);
  const parts = [plain(task.message), "---", plain(task.method), callers.join("\n")];
  if (task.locations.length === 0) parts.push("Its callers are not in the workspace.");
  return new vscode.MarkdownString(parts.join("\n\n"));
}
