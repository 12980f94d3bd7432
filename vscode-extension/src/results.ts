// The results of the last comparison, as the views show them. They are fetched again
// when the server says that something changed.

import * as vscode from "vscode";
import { methods, pageSize, type Comparison, type Task, type TasksPage } from "./protocol.ts";
import { background } from "./errors.ts";
import type { Server } from "./server.ts";

// Wait for a burst of edits to end.
const settle = 150;

export class Results implements vscode.Disposable {
  comparison: Comparison | null = null;
  tasks: readonly Task[] = [];
  /** the text that the list of tasks is filtered by; empty shows all tasks */
  text = "";
  private timer: NodeJS.Timeout | undefined;
  private generation = 0;
  private received = "";
  private readonly updated = new vscode.EventEmitter<void>();
  readonly onUpdated = this.updated.event;

  constructor(private readonly server: Server) {
    server.onChanged(() => this.refresh());
    server.onAbsent(() => this.clear());
  }

  clear(): void {
    this.generation++;
    this.received = "";
    this.comparison = null;
    this.tasks = [];
    this.text = "";
    this.updated.fire();
  }

  filter(text: string): void {
    this.text = text;
    this.updated.fire();
  }

  /** listed are the tasks that have the filter's text in their name or in a caller's. */
  listed(): readonly Task[] {
    const text = this.text.toLowerCase();
    return this.tasks.filter((t) => [t, ...t.callers].some((m) => m.method.toLowerCase().includes(text)));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.updated.dispose();
  }

  private refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => background(this.server.log, "asking for tasks", this.load()), settle);
  }

  private async load(): Promise<void> {
    const generation = ++this.generation;
    let page: TasksPage;
    const tasks: Task[] = [];
    do {
      page = await this.server.ask<TasksPage>(methods.tasks, { offset: tasks.length, limit: pageSize });
      tasks.push(...page.tasks.map((task) => normal(task, page.methods)));
    } while (page.tasks.length > 0 && tasks.length < page.total && generation === this.generation);
    if (generation !== this.generation) return;
    // Drawing a view again loses clicks that are under way.
    const received = JSON.stringify([page.comparison, tasks]);
    if (received === this.received) return;
    this.received = received;
    this.comparison = page.comparison;
    this.tasks = tasks;
    this.updated.fire();
  }
}

// normal gives a task the names of its methods. The server and VS Code may write the
// same URI in different ways.
function normal(task: Task, methods: TasksPage["methods"]): Task {
  const short = (label: string) => methods[label]?.short ?? label;
  return {
    ...task,
    short: short(task.method),
    callers: task.callers.map((c) => ({ ...c, short: short(c.method) })),
    locations: task.locations.map((at) => ({ ...at, short: short(at.caller), uri: vscode.Uri.parse(at.uri).toString() })),
  };
}
