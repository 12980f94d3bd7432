// The commands of the palette, the menus, and the server's lenses and hovers.

import { stat } from "node:fs/promises";
import { extname } from "node:path";
import * as vscode from "vscode";
import { refused, told, words } from "./errors.ts";
import { projectFile, type Failure } from "./failure.ts";
import { ignoreTask } from "./ignore.ts";
import { tasksAt, type Branch } from "./list.ts";
import type { Packages } from "./packages.ts";
import type { Panel, Show } from "./panel.ts";
import { isTrace, pickTrace } from "./pick.ts";
import type { Comparison, Task } from "./protocol.ts";
import type { Results } from "./results.ts";
import type { Run } from "./runs.ts";
import type { RunsView } from "./runsView.ts";
import { openSample } from "./sample.ts";
import type { Server } from "./server.ts";
import { goToTask, peekTask } from "./source.ts";
import type { TasksView } from "./tasksView.ts";
import { alphas, base, pair } from "./text.ts";
import { viewers } from "./viewer.ts";

interface Pair {
  subject: string;
  reference: string;
}

/** A Named is a command's argument that names a task. If it may mean several tasks, tasks lists them. */
interface Named {
  task?: string;
  tasks?: string[];
}

/** A Listed is a pair of traces in diffprof.yaml. The pair of the keys subject and reference has an empty name. */
interface Listed extends Pair {
  pair: string;
  file: string;
  selected: boolean;
}

/** Alpha is α: the number of steps that call paths may differ by, or the rule that chooses it. */
type Alpha = number | "auto" | "paper";

export class Commands {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly results: Results,
    private readonly failure: Failure,
    private readonly list: TasksView,
    private readonly runs: RunsView,
    private readonly panel: Panel,
    private readonly packages: Packages,
  ) {}

  register(): vscode.Disposable[] {
    const all: Record<string, (...args: never[]) => unknown> = {
      compare: (given?: Partial<Pair>) => this.compare(given),
      compareWith: (file?: vscode.Uri) => this.compareWith(file),
      openProfile: (file?: vscode.Uri) => this.openProfile(file),
      compareSelected: (_: vscode.Uri | undefined, selected?: vscode.Uri[]) => this.compareSelected(selected),
      compareAgain: (run?: Run) => this.compareAgain(run),
      cancel: () => this.server.cancel(),
      clear: () => this.clear(),
      selectPair: () => this.selectPair(),
      setAlpha: (given?: { alpha?: Alpha }) => this.setAlpha(given?.alpha),
      showTask: (given?: Named | Task | Branch) => {
        const task = taskOf(given);
        return this.showTask(task ? { task: task.id, kind: task.kind } : (given as Named | undefined));
      },
      showRun: () => this.show({ type: "view", view: "run" }),
      showSummary: () => this.show({ type: "view", view: "summary" }),
      goToTask: (given?: Task | Branch) => this.with(given, goToTask),
      peekTask: (given?: Task | Branch) => this.with(given, peekTask),
      ignoreTask: (given?: Task | Branch) => this.with(given, (task) => ignoreTask(this.server, task)),
      copyTask: (given?: Task | Branch) => this.with(given, (task) => vscode.env.clipboard.writeText(`${task.message}\n${task.method}`)),
      filterTasks: () => this.list.filter(),
      showAllTasks: () => this.list.arrange({ text: "" }),
      onlyMyCode: () => this.list.arrange({ own: true }),
      allCode: () => this.list.arrange({ own: false }),
      sortTasks: () => this.list.sort(),
      groupTasks: () => this.list.group(),
      report: () => this.report(),
      listPackages: () => this.listPackages(),
      toggleCodeLens: () => this.toggle("codeLens"),
      toggleDiagnostics: () => this.toggle("diagnostics"),
      toggleInlayHints: () => this.toggle("inlayHints"),
      toggleHeat: () => this.toggle("lineHeat"),
      forgetRun: (run?: Run) => run && this.runs.forget(run),
      restart: () => this.restart(),
      showLog: () => this.server.log.show(),
      chooseServer: () => this.chooseServer(),
      openSettings: () => this.failure.open(),
      openSample: () => openSample(this.context),
      walkthrough: () => this.walkthrough(),
      recordTrace: () => this.walkthrough("record"),
    };
    return Object.entries(all).map(([name, run]) => vscode.commands.registerCommand(`diffprof.${name}`, (...args: never[]) => this.guard(() => run(...args))));
  }

  // guard shows the error of a command once, in words. It ignores cancellation.
  private async guard(run: () => unknown): Promise<unknown> {
    try {
      return await run();
    } catch (err) {
      if (told(err)) return undefined;
      this.server.log.error(words(err));
      void vscode.window.showErrorMessage(`Diffprof: ${words(err)}`);
      return undefined;
    }
  }

  // with runs an action on the task in a command's argument.
  private with(given: Task | Branch | undefined, run: (task: Task) => unknown): unknown {
    const task = taskOf(given);
    return task && run(task);
  }

  // compare starts the server first: if it cannot start, the user sees the reason before the pickers
  // open. shown opens the comparison. The default is true if the active tab shows a trace, since that
  // tab would hide the result.
  private async compare(given?: Partial<Pair>, shown = viewsTrace()): Promise<void> {
    if (!(await this.server.start())) return;
    const subject = given?.subject ?? (await pickTrace("Compare two traces (1 of 2)", "The subject: the run you want to improve", this.runs.runs()));
    if (!subject) return;
    const reference =
      given?.reference ?? (await pickTrace("Compare two traces (2 of 2)", `The reference: the run to compare ${base(subject)} with`, this.runs.runs(), subject));
    if (!reference) return;
    if ((await this.run("diffprof.compare", { subject, reference })) && shown) await this.panel.show({ type: "view", view: "tasks" }, vscode.ViewColumn.Active);
  }

  private async compareWith(file?: vscode.Uri): Promise<void> {
    const subject = file?.fsPath ?? vscode.window.activeTextEditor?.document.uri.fsPath;
    if (!subject || !isTrace(subject)) return this.compare();
    await this.compare({ subject });
  }

  private async openProfile(file?: vscode.Uri): Promise<void> {
    const path = file?.fsPath ?? (await pickTrace("Open the profile of a run", "A run, to see where its energy goes", this.runs.runs()));
    if (path) await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.file(path), viewers[0]);
  }

  // compareSelected compares two files of the explorer. The user picks the subject; the newer file is
  // offered first.
  private async compareSelected(selected?: vscode.Uri[]): Promise<void> {
    const paths = (selected ?? []).map((uri) => uri.fsPath).filter(isTrace);
    if (paths.length !== 2) throw new Error("select two traces in the explorer");
    const dated = await Promise.all(paths.map(async (path) => ({ path, when: (await stat(path)).mtimeMs })));
    const [newer, older] = dated.sort((a, b) => b.when - a.when || a.path.localeCompare(b.path)) as [{ path: string; when: number }, { path: string; when: number }];
    const item = (subject: typeof newer, reference: typeof newer) => ({
      label: base(subject.path), description: `from ${new Date(subject.when).toLocaleString()}, compared with ${base(reference.path)}`, pair: { subject: subject.path, reference: reference.path },
    });
    const picked = await vscode.window.showQuickPick([item(newer, older), item(older, newer)], {
      title: "Compare two runs", placeHolder: "Which run do you want to improve? It is the subject.",
    });
    if (picked) await this.compare(picked.pair, true);
  }

  private async compareAgain(run?: Run): Promise<void> {
    if (run) return void (await this.run("diffprof.compare", { subject: run.subject, reference: run.reference }));
    const c = this.results.comparison;
    if (!c?.subject || !c.reference) return this.compare();
    await this.run("diffprof.compare", { subject: c.subject, reference: c.reference });
  }

  // run starts a comparison on the server, and shows a notification with a button to cancel. It
  // returns whether the comparison succeeded. The server itself reports failures.
  private async run(command: string, argument: unknown): Promise<boolean> {
    if (!(await this.server.start())) return false;
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: "Diffprof", cancellable: true }, async (progress, token) => {
      let shown = 0;
      const subscription = this.server.onProgress((p) => {
        if (p) progress.report({ message: p.message || "comparing", increment: Math.max(0, p.percent - shown) });
        shown = p?.percent ?? 0;
      });
      try {
        const c = await this.server.command<Comparison>(command, argument, token);
        await vscode.commands.executeCommand("diffprof.tasks.focus");
        if (c.tasks === 0) void vscode.window.showInformationMessage("Diffprof: the subject has no tasks. Check the app's packages with List Packages.");
        return true;
      } catch (err) {
        if (!refused(err)) throw err;
        return false;
      } finally {
        subscription.dispose();
      }
    });
  }

  private async clear(): Promise<void> {
    await this.server.command("diffprof.clear");
    this.failure.clear();
    this.results.clear();
  }

  private async setAlpha(given?: Alpha): Promise<void> {
    let alpha = given;
    if (alpha === undefined) {
      const used = this.results.comparison?.alpha;
      const items = alphas.map((a) => {
        const means =
          a === "auto"
            ? "the smallest number for which more steps find hardly any more counterparts"
            : a === "paper"
              ? "the smallest value that matches a fifth of the tasks"
              : a === 0
                ? "equal call paths only"
                : `by ${a} ${a === 1 ? "step" : "steps"}`;
        return { label: String(a), description: a === used ? `${means} (current)` : means, alpha: a };
      });
      alpha = (await vscode.window.showQuickPick(items, { title: "By how many steps call paths may differ (α)" }))?.alpha;
    }
    if (alpha !== undefined) await this.run("diffprof.setAlpha", { alpha });
  }

  // toggle turns a kind of annotation off or on, until the server ends.
  private async toggle(what: string): Promise<void> {
    await this.server.command("diffprof.toggle", { what });
  }

  // selectPair compares another pair of the project's files.
  private async selectPair(): Promise<void> {
    const { pairs } = await this.server.command<{ pairs: Listed[] }>("diffprof.listPairs");
    const items = pairs.map((p) => ({
      label: p.pair || "subject and reference", description: [pair(p), p.selected && "current"].filter(Boolean).join(", "), detail: vscode.workspace.asRelativePath(p.file), of: p,
    }));
    if (items.length === 0) return void vscode.window.showInformationMessage(`Diffprof: no ${projectFile} names traces to compare.`);
    const picked = await vscode.window.showQuickPick(items, { title: "Compare the pair", matchOnDescription: true });
    if (picked) await this.run("diffprof.selectPair", { pair: picked.of.pair, file: picked.of.file });
  }

  // showTask shows the flask of a task, or the list for app code, which has no flask. A lens passes
  // all tasks in its figure. The palette passes none, so the tasks at the cursor are used.
  private async showTask(named?: Named & { kind?: Task["kind"] }): Promise<void> {
    const given = named ?? this.underCursor();
    if (given?.kind === "code") return this.show({ type: "view", view: "tasks" });
    if (given?.task && (given.tasks?.length ?? 0) < 2) return this.show({ type: "open", task: given.task });
    if (!(await this.compared())) return;
    const items = this.results.tasks
      .filter((t) => t.kind === "task" && (given?.tasks?.includes(t.id) ?? true))
      .map((t) => ({ label: t.short, description: t.whyNotMessage, detail: t.message, id: t.id }));
    const id = (await vscode.window.showQuickPick(items, { title: "Show the flask of", matchOnDetail: true }))?.id;
    if (id) await this.show({ type: "open", task: id });
  }

  private underCursor(): (Named & { kind?: Task["kind"] }) | undefined {
    const editor = vscode.window.activeTextEditor;
    const called = editor ? tasksAt(this.results.tasks, editor.document.uri.toString(), editor.selection.active).map((t) => t.id) : [];
    return called.length > 0 ? { task: called[0]!, tasks: called } : undefined;
  }

  private async show(what: Show): Promise<void> {
    if (await this.compared()) await this.panel.show(what);
  }

  // compared reports whether a comparison exists. If none exists, it offers to compare.
  private async compared(): Promise<boolean> {
    if (this.results.comparison) return true;
    const [compare, sample] = ["Compare Two Traces…", "Open the Sample App"];
    const answer = await vscode.window.showInformationMessage("Diffprof: no comparison yet.", compare, sample);
    if (answer === compare) await this.compare();
    else if (answer === sample) await openSample(this.context);
    return false;
  }

  private async report(): Promise<void> {
    if (!(await this.compared())) return;
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (!folder) throw new Error("a report is written to the workspace folder: open a folder first");
    const uri = await vscode.window.showSaveDialog({
      title: "Write a report", defaultUri: vscode.Uri.joinPath(folder.uri, "diffprof-report.html"), filters: { Page: ["html"], Text: ["txt"], JSON: ["json"] },
    });
    if (!uri) return;
    const format = { ".html": "html", ".txt": "text" }[extname(uri.path)] ?? "json";
    await this.server.command("diffprof.report", { path: uri.fsPath, format, overwrite: true });
    if (format !== "html") return void (await vscode.window.showTextDocument(uri));
    // The browser runs on this machine, but the file may be on another.
    const actions = vscode.env.remoteName ? [] : ["Open in the Browser"];
    if (await vscode.window.showInformationMessage(`${base(uri.fsPath)} is written: one page that works offline.`, ...actions)) await vscode.env.openExternal(uri);
  }

  private async listPackages(): Promise<void> {
    if (await this.compared()) await this.packages.show();
  }

  // walkthrough opens the guide, or one of its steps.
  private async walkthrough(step = ""): Promise<void> {
    const guide = `${this.context.extension.id}#start`;
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", step ? { category: guide, step } : guide, false);
  }

  private async restart(): Promise<void> {
    const before = this.results.comparison;
    if (!(await this.server.restart())) return;
    this.results.clear();
    // The new server compares only the traces of the settings.
    if (before?.subject && before.reference) await this.run("diffprof.compare", { subject: before.subject, reference: before.reference });
    else void vscode.window.showInformationMessage("Diffprof's language server is running.");
  }

  private async chooseServer(): Promise<void> {
    const files = await vscode.window.showOpenDialog({ title: "Choose the diffprof program", openLabel: "Choose" });
    const path = files?.[0]?.fsPath;
    if (path) await vscode.workspace.getConfiguration("diffprof").update("server.path", path, vscode.ConfigurationTarget.Global);
  }
}

// viewsTrace reports whether the active editor shows a trace.
function viewsTrace(): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputCustom && (viewers as readonly string[]).includes(input.viewType);
}

// taskOf returns the task in a command's argument. A menu passes the line of the view.
function taskOf(given: Named | Task | Branch | undefined): Task | undefined {
  if (given && "type" in given) return given.type === "task" ? given.task : undefined;
  return given && "id" in given ? given : undefined;
}
