// The results of the last comparison for the views. They are fetched again when the
// server reports a change.

import * as vscode from "vscode";
import { background } from "./errors.ts";
import { bySaving } from "./list.ts";
import { methods, pageSize, type AppCode, type AppCodePage, type Comparison, type Methods, type Outside, type Task, type TasksPage } from "./protocol.ts";
import type { Server } from "./server.ts";

// Wait for a burst of edits to end.
const settle = 150;

export class Results implements vscode.Disposable {
  comparison: Comparison | null = null;
  /** tasks and app code, in the order of the reports */
  tasks: readonly Task[] = [];
  /** the run's energy outside tasks */
  outside: readonly Outside[] = [];
  /** whether the settings turn the heat overlay on */
  lineHeat = false;
  /** the names of the methods of tasks, by label */
  methods: Methods = {};
  private timer: NodeJS.Timeout | undefined;
  private generation = 0;
  private received = "";
  private readonly updated = new vscode.EventEmitter<void>();
  readonly onUpdated = this.updated.event;

  constructor(private readonly server: Server) {
    server.onChanged(() => this.refresh());
    server.onPresence((p) => p !== "running" && this.clear());
  }

  clear(): void {
    this.generation++;
    this.received = "";
    this.comparison = null;
    this.tasks = [];
    this.outside = [];
    this.methods = {};
    this.updated.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.updated.dispose();
  }

  private refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => background(this.server.log, "requesting tasks", this.load()), settle);
  }

  private async load(): Promise<void> {
    const generation = ++this.generation;
    const late = () => generation !== this.generation;
    let page: TasksPage;
    const tasks: Task[] = [];
    const known: Methods = {};
    do {
      page = await this.server.ask<TasksPage>(methods.tasks, { offset: tasks.length, limit: pageSize });
      Object.assign(known, page.methods);
      tasks.push(...page.tasks.map((task) => named({ ...task, kind: "task", short: "" }, page.methods)));
    } while (page.tasks.length > 0 && tasks.length < page.total && !late());
    const code: Task[] = [];
    let more: AppCodePage = { total: 0, appCode: [], methods: {}, outside: [] };
    while (page.comparison && !late()) {
      more = await this.server.ask<AppCodePage>(methods.appCode, { offset: code.length, limit: pageSize });
      Object.assign(known, more.methods);
      code.push(...more.appCode.map((c) => named(asTask(c), more.methods)));
      if (more.appCode.length === 0 || code.length >= more.total) break;
    }
    if (late()) return;
    // Do not redraw unchanged results: redrawing loses a click in progress.
    const received = JSON.stringify([page.comparison, page.lineHeat, tasks, code, more.outside]);
    if (received === this.received) return;
    this.received = received;
    this.comparison = page.comparison;
    this.tasks = [...tasks, ...code].sort(bySaving);
    this.outside = more.outside;
    this.lineHeat = page.lineHeat;
    this.methods = known;
    this.updated.fire();
  }
}

// asTask converts app code to a task: its parts are its callers.
function asTask({ parts, ...code }: AppCode): Task {
  const callers = parts.map((p) => ({ method: p.method, short: "", file: p.file, line: p.line, calls: null, own: p.own ? { method: p.method } : null, through: p.library }));
  return { ...code, kind: "code", short: "", callers, ignored: false, perhaps: null, inside: null };
}

// named adds the names of methods to a task. It also normalizes URIs, since the server and
// VS Code may write them differently.
function named(task: Task, methods: Methods): Task {
  const short = (label: string) => methods[label]?.short ?? label;
  return {
    ...task,
    short: short(task.method),
    callers: task.callers.map((c) => ({ ...c, short: short(c.method) })),
    locations: task.locations.map((at) => ({ ...at, short: short(at.caller), uri: vscode.Uri.parse(at.uri).toString() })),
  };
}
