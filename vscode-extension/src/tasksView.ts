// The Tasks view: tasks and app code, ordered by list.ts. After a failed comparison, the
// reason and the remedies are above them.

import * as vscode from "vscode";
import type { Failure } from "./failure.ts";
import { projectFile } from "./failure.ts";
import { callersOf, everything, groups, list, orders, signs, verdictNames, type Branch, type Group, type Listing, type Sort } from "./list.ts";
import type { Task, Verdict } from "./protocol.ts";
import type { Results } from "./results.ts";
import { pair, percent, plain, savingShare } from "./text.ts";

/** An Action is a line with a remedy for a failure. */
interface Action {
  type: "action";
  label: string;
  icon: string;
  command: string;
}

type Line = Branch | Action;

const remedies: Action[] = [
  { type: "action", label: `Open ${projectFile}`, icon: "go-to-file", command: "diffprof.openSettings" },
  { type: "action", label: "Choose Another Trace…", icon: "folder-opened", command: "diffprof.compare" },
  { type: "action", label: "Show the Log", icon: "output", command: "diffprof.showLog" },
];

const key = "diffprof.listing";

// In longer lists, tasks inside other tasks are folded.
const mostOpen = 200;

export class TasksView implements vscode.TreeDataProvider<Line>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Line>;
  private readonly themes: vscode.Disposable;
  private listing: Listing;
  private lines: Line[] = [];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly state: vscode.Memento,
    private readonly results: Results,
    private readonly failure: Failure,
  ) {
    this.listing = stored(state.get(key));
    this.view = vscode.window.createTreeView("diffprof.tasks", { treeDataProvider: this, showCollapseAll: true });
    results.onUpdated(() => {
      // A filter belongs to one comparison.
      if (!results.comparison) this.listing.text = "";
      this.update();
    });
    failure.onChanged(() => this.update());
    this.themes = vscode.window.onDidChangeActiveColorTheme(() => this.changed.fire());
    this.update();
  }

  /** arrange changes the listing. */
  async arrange(change: Partial<Listing>): Promise<void> {
    this.listing = { ...this.listing, ...change };
    this.update();
    const { text: _, ...kept } = this.listing;
    await this.state.update(key, kept);
  }

  /** filter prompts for letters, and lists the tasks that contain them. */
  async filter(): Promise<void> {
    const text = await vscode.window.showInputBox({
      title: "Filter tasks", value: this.listing.text, placeHolder: "letters of a method or of its caller; empty shows all",
    });
    if (text !== undefined) await this.arrange({ text: text.trim() });
  }

  /** sort lets the user pick an order. */
  async sort(): Promise<void> {
    const sort = await choose<Sort>("Sort tasks by", orders, this.listing.sort);
    if (sort) await this.arrange({ sort });
  }

  /** group lets the user pick a grouping. */
  async group(): Promise<void> {
    const group = await choose<Group>("Group tasks by", groups, this.listing.group);
    if (group) await this.arrange({ group });
  }

  dispose(): void {
    this.themes.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  getChildren(parent?: Line): Line[] {
    if (!parent) return this.lines;
    return parent.type === "action" ? [] : parent.children;
  }

  getTreeItem(line: Line): vscode.TreeItem {
    switch (line.type) {
      case "action":
        return action(line);
      case "task":
        return this.task(line);
      case "group":
        return heading(line.name, `group ${line.name}`, true, `${line.tasks} · ${percent(line.ownNJ / (this.results.comparison?.energyNJ || 1))}`);
      case "rest": {
        // The last group is open if a filter is set, or if the group has all tasks.
        const open = this.listing.text !== "" || this.lines.every((l) => l.type !== "task");
        const item = heading("No clear saving", open ? "rest, open" : "rest", open, String(line.tasks));
        item.tooltip = "Tasks that cost no more than in the reference, or whose difference may be chance";
        return item;
      }
      case "outside": {
        const item = heading("Outside tasks", "outside", false, percent(line.share));
        item.tooltip = "Energy outside tasks. Your code is also listed above, method by method.";
        return item;
      }
      case "part": {
        const item = new vscode.TreeItem(line.part.name);
        item.id = `outside ${line.part.name}`;
        item.description = percent(line.part.share);
        item.contextValue = "part";
        return item;
      }
    }
  }

  private task({ task, children }: Branch & { type: "task" }): vscode.TreeItem {
    // VS Code requests the children of each open line before it shows any.
    const open = this.results.tasks.length <= mostOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
    const item = new vscode.TreeItem(task.short, children.length > 0 ? open : vscode.TreeItemCollapsibleState.None);
    const share = percent(Math.abs(savingShare(task, this.results.comparison?.energyNJ ?? 0)));
    const callers = task.kind === "code" ? [] : callersOf(task, this.results.methods);
    const where = (callers[0] ?? "") + (callers.length > 1 ? ` +${callers.length - 1}` : "");
    const apart = (task.peer ?? task.perhaps)?.how ?? "";
    item.id = `${task.kind} ${task.id}`;
    item.description = [
      task.suspect ? "suspect" : "",
      this.listing.sort === "calls" && task.calls !== null ? `${task.calls}×` : "",
      this.listing.sort === "energy" ? percent(task.share) : task.savingNJ === 0 ? "" : task.savingNJ < 0 ? `${share} less` : task.counts ? share : task.whyNotMessage,
      task.kind === "code" ? "by itself" : where, apart,
    ].filter(Boolean).join(" · ");
    item.iconPath = this.sign(task.verdict);
    item.tooltip = this.tooltip(task);
    item.contextValue = [task.kind, ...(task.locations.length > 0 ? ["placed"] : [])].join(" ");
    item.accessibilityInformation = {
      label: [task.kind === "code" ? `${task.short} by itself` : task.short, verdictNames[task.verdict], task.suspect && "suspect", apart, task.message, task.whyNotMessage, where && `called in ${where}`].filter(Boolean).join(", "),
    };
    item.command = { command: task.locations.length > 0 ? "diffprof.goToTask" : "diffprof.showTask", title: "Open", arguments: [task] };
    return item;
  }

  private sign(verdict: Verdict): { light: vscode.Uri; dark: vscode.Uri } {
    const name = { "only here": "only", perhaps: "perhaps", "dearer here": "dearer", "cheaper here": "cheaper", "the same": "same", unclear: "unclear" }[verdict];
    const file = (theme: string) => vscode.Uri.joinPath(this.extension, "media", "signs", `${name}-${theme}.svg`);
    // VS Code treats light themes of high contrast as dark ones.
    const bright = vscode.window.activeColorTheme.kind === vscode.ColorThemeKind.HighContrastLight;
    return { light: file("light"), dark: file(bright ? "light" : "dark") };
  }

  private tooltip(task: Task): vscode.MarkdownString {
    const { methods } = this.results;
    const callers = task.callers.slice(0, 5).map((c) => {
      const through = c.through && c.own && c.own.method !== c.method ? ` for ${plain(methods[c.own.method]?.short ?? c.own.method)}` : "";
      return `- ${task.kind === "code" ? "" : "called by "}${plain(c.method)}${through}${c.file ? ` (${plain(c.file)})` : ""}${c.calls ? `, ${c.calls}×` : ""}`;
    });
    if (task.callers.length > 5) callers.push(`- and ${task.callers.length - 5} more`);
    const parts = [`${plain(`${signs[task.verdict]} ${verdictNames[task.verdict]}`)}: ${plain(task.message)}`];
    const sure = (task.peer ?? task.perhaps)?.confidence?.message;
    if (task.whyNotMessage) parts.push(plain(`No finding: ${task.whyNotMessage}.`));
    if (sure) parts.push(plain(sure));
    if (task.suspect) parts.push(plain(`suspect: ${task.suspect.message}`));
    parts.push("---", plain(task.method), callers.join("\n"));
    if (task.locations.length === 0) parts.push(task.kind === "code" ? "It is not in the workspace." : "Its callers are not in the workspace.");
    return new vscode.MarkdownString(parts.join("\n\n"));
  }

  private update(): void {
    const { comparison, tasks, outside, methods } = this.results;
    const reason = this.failure.reason();
    const found = comparison ? list(tasks, outside, methods, this.listing) : [];
    // If a filter leaves no task, a welcome view takes the place of the list.
    this.lines = [...(reason ? remedies : []), ...(found.some((l) => l.type !== "outside") ? found : [])];
    this.view.message = !reason ? comparison?.sentences?.[0] : `Not compared: ${reason}.${comparison ? " The list shows the previous comparison." : ""}`;
    const { text, own } = this.listing;
    this.view.description = [text && `“${text}”`, own && "my code", comparison && pair(comparison)].filter(Boolean).join(" · ");
    void vscode.commands.executeCommand("setContext", "diffprof.empty", this.lines.length === 0);
    void vscode.commands.executeCommand("setContext", "diffprof.filtered", text !== "");
    void vscode.commands.executeCommand("setContext", "diffprof.onlyMyCode", own);
    this.changed.fire();
  }
}

function action({ label, icon, command }: Action): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = command;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.command = { command, title: label };
  return item;
}

function heading(label: string, id: string, open: boolean, description: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label, open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  item.description = description;
  item.contextValue = "heading";
  return item;
}

async function choose<K extends string>(title: string, from: Readonly<Record<K, string>>, now: K): Promise<K | undefined> {
  const items = (Object.entries(from) as [K, string][]).map(([value, label]) => ({ label, value, description: value === now ? "current" : "" }));
  return (await vscode.window.showQuickPick(items, { title }))?.value;
}

// stored reads a saved listing. It ignores invalid parts, which another version may have saved.
function stored(kept: unknown): Listing {
  const { own, sort, group } = (typeof kept === "object" && kept !== null ? kept : {}) as Partial<Listing>;
  return {
    ...everything, own: own === true,
    ...(sort !== undefined && Object.hasOwn(orders, sort) ? { sort } : {}), ...(group !== undefined && Object.hasOwn(groups, group) ? { group } : {}),
  };
}
