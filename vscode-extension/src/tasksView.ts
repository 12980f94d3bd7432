// The Tasks view: the list of the comparison, most room for saving first.

import * as vscode from "vscode";
import type { Task } from "./protocol.ts";
import type { Results } from "./results.ts";
import { pair, percent, savingShare, short } from "./text.ts";

export class TasksView implements vscode.TreeDataProvider<Task>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Task>;

  constructor(private readonly results: Results) {
    this.view = vscode.window.createTreeView("diffprof.tasks", { treeDataProvider: this });
    results.onUpdated(() => this.update());
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  getChildren(parent?: Task): Task[] {
    return parent ? [] : [...this.results.tasks];
  }

  getTreeItem(task: Task): vscode.TreeItem {
    const item = new vscode.TreeItem(short(task.method));
    const saving = savingShare(task, this.results.comparison?.energyNJ ?? 0);
    item.id = task.id;
    item.description = describe(task, saving);
    item.iconPath = icon(task);
    item.tooltip = tooltip(task);
    item.contextValue = task.locations.length > 0 ? "task placed" : "task";
    item.accessibilityInformation = { label: `${short(task.method)}, ${statusWords(task)}, ${item.description}` };
    item.command = { command: task.locations.length > 0 ? "diffprof.goToTask" : "diffprof.showTask", title: "Open", arguments: [task] };
    return item;
  }

  private update(): void {
    const { comparison, tasks, text } = this.results;
    this.view.description = text ? `“${text}”` : "";
    this.view.message = comparison && tasks.length > 0 ? pair(comparison) : undefined;
    const worse = tasks.filter((t) => t.savingNJ > 0).length;
    this.view.badge = worse > 0 ? { value: worse, tooltip: `${worse} tasks drain more than they have to` } : undefined;
    this.changed.fire();
  }
}

function describe(task: Task, saving: number): string {
  const where = task.callers[0] ? short(task.callers[0].method) : "";
  const calls = task.calls > 0 ? `${task.calls}×` : "";
  const room = task.savingNJ > 0 ? `saves ${percent(saving)}` : task.savingNJ < 0 ? `${percent(-saving)} cheaper here` : "the same";
  return [room, where && `in ${where}`, calls].filter(Boolean).join(" · ");
}

function statusWords(task: Task): string {
  if (task.status === "unmatched") return "only here";
  return task.savingNJ > 0 ? "dearer here" : task.savingNJ < 0 ? "cheaper here" : "the same in both";
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
