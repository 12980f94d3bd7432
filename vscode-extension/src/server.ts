// The language server's life: found, checked, started, stopped. It is started when
// there is something for it to do, and never in a folder that is not trusted.

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter } from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  ResponseError,
  State,
  type DynamicFeature,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";
import { candidates, find, judge, type Candidate } from "./binary.ts";
import { methods, type Comparison } from "./protocol.ts";

/** needs is the oldest release of diffprof that does what this extension asks of it. */
export const needs = "0.1.0";

const installPage = "https://github.com/diffprof/diffprof/blob/main/docs/vscode.md#the-program";

// The server's commands are the extension's too, which asks for their arguments and
// shows their results; the client would register them a second time.
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<never>): void {
    const method = "registrationType" in feature ? feature.registrationType.method : "";
    if (method !== "workspace/executeCommand") super.registerFeature(feature);
  }
}

/** Why there is no server: shown in the Tasks view. */
export type Absence = "untrusted" | "missing" | "idle";

export interface Progress {
  message: string;
  percent: number;
}

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("Diffprof", { log: true });
  private client: Client | null = null;
  private starting: Promise<Client | null> | null = null;
  private failures: number[] = [];
  private readonly compared = new vscode.EventEmitter<Comparison>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly progressed = new vscode.EventEmitter<Progress | null>();
  private readonly absent = new vscode.EventEmitter<Absence>();
  /** a comparison ended */
  readonly onCompared = this.compared.event;
  /** what the editor shows may have changed: settings, sources */
  readonly onChanged = this.changed.event;
  /** a comparison goes on; null at its end */
  readonly onProgress = this.progressed.event;
  readonly onAbsent = this.absent.event;

  constructor(private readonly context: vscode.ExtensionContext) {}

  /** running returns the server if it runs, and starts nothing. */
  running(): LanguageClient | null {
    return this.client?.state === State.Running ? this.client : null;
  }

  /** start starts the server unless it runs; null where it cannot be, which the user was told. */
  start(): Promise<LanguageClient | null> {
    if (this.client && this.client.state !== State.Stopped) return Promise.resolve(this.client);
    this.starting ??= this.startNow().finally(() => (this.starting = null));
    return this.starting;
  }

  async stop(): Promise<void> {
    await this.starting?.catch(() => null);
    const client = this.client;
    this.client = null;
    this.progressed.fire(null);
    if (!client) return;
    try {
      await client.stop(5000);
    } catch (err) {
      this.log.warn(`stopping: ${err instanceof Error ? err.message : err}`);
    } finally {
      await client.dispose().catch(() => undefined);
    }
  }

  async restart(): Promise<boolean> {
    await this.stop();
    return (await this.start()) !== null;
  }

  dispose(): void {
    for (const d of [this.compared, this.changed, this.progressed, this.absent, this.log]) d.dispose();
  }

  /** request asks the server; it fails with a message for people. */
  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    const client = await this.start();
    if (!client) throw new Absent();
    return token ? client.sendRequest<R>(method, params, token) : client.sendRequest<R>(method, params);
  }

  /** command has the server carry a command out. */
  command<R>(command: string, argument?: unknown, token?: vscode.CancellationToken): Promise<R> {
    return this.request<R>("workspace/executeCommand", { command, arguments: argument === undefined ? [] : [argument] }, token);
  }

  private async startNow(): Promise<Client | null> {
    if (!vscode.workspace.isTrusted) {
      this.absent.fire("untrusted");
      const manage = "Manage Workspace Trust";
      void vscode.window
        .showWarningMessage("Diffprof starts no program in a folder that is not trusted.", manage)
        .then((answer) => answer && vscode.commands.executeCommand("workbench.trust.manage"));
      return null;
    }
    const program = await this.program();
    if (!program) {
      this.absent.fire("missing");
      return null;
    }
    const client = new Client(
      "diffprof",
      "Diffprof",
      { command: program, args: ["lsp"], options: { cwd: homedir() } },
      {
        documentSelector: [
          { scheme: "file", language: "java" },
          { scheme: "file", language: "kotlin" },
          { scheme: "file", pattern: "**/*.{java,kt}" },
          { scheme: "file", pattern: "**/diffprof.yaml" },
        ],
        synchronize: { configurationSection: "diffprof" },
        initializationOptions: servers(vscode.workspace.getConfiguration("diffprof")),
        outputChannel: this.log,
        traceOutputChannel: this.log,
        middleware: this.middleware(),
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue }),
          closed: () => this.closed(),
        },
      },
    );
    client.onNotification(methods.didCompare, (c: Comparison) => this.compared.fire(c));
    this.client = client;
    try {
      await client.start();
    } catch (err) {
      const why = err instanceof Error ? err.message : String(err);
      this.log.error(`starting ${program}: ${why}`);
      this.client = null;
      this.absent.fire("missing");
      void this.offer(`Diffprof's language server did not start: ${why}`);
      return null;
    }
    this.log.info(`${program} serves`);
    this.changed.fire();
    return client;
  }

  // A server that ends by itself is started again, but for one that keeps ending.
  private closed() {
    this.progressed.fire(null);
    const now = Date.now();
    this.failures = [...this.failures.filter((t) => now - t < 3 * 60_000), now];
    if (this.failures.length < 4) return { action: CloseAction.Restart };
    this.failures = [];
    this.absent.fire("missing");
    void this.offer("Diffprof's language server ended four times in three minutes, and is not started again.");
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  // Diagnostics change with all that could change in the views, and edits move
  // what the views point to.
  private middleware(): Middleware {
    return {
      workspace: {
        configuration: async (params, token, next) => {
          const values = await next(params, token);
          return Array.isArray(values) ? values.map(servers) : values;
        },
      },
      handleDiagnostics: (uri, diagnostics, next) => {
        next(uri, diagnostics);
        this.changed.fire();
      },
      provideDiagnostics: async (document, previous, token, next) => {
        const result = await next(document, previous, token);
        this.changed.fire();
        return result;
      },
      handleWorkDoneProgress: (token, params, next) => {
        if (typeof token === "string" && token.startsWith("diffprof/compare/")) {
          this.progressed.fire(
            params.kind === "end" ? null : { message: params.message ?? "", percent: params.percentage ?? 0 },
          );
          if (params.kind === "begin") return next(token, { ...params, title: "Diffprof: comparing" });
        }
        return next(token, params);
      },
    };
  }

  // program finds the program and checks its version; what is amiss the user is told.
  private async program(): Promise<string | null> {
    const list = this.candidates();
    const found = find(list, runs);
    if (!found) {
      const setting = list[0]?.origin === "setting" ? list[0].path : "";
      void this.offer(
        setting
          ? `Diffprof: there is no program at ${setting}, where the setting diffprof.server.path says.`
          : "Diffprof needs the program diffprof, which is neither beside the extension nor on PATH.",
      );
      return null;
    }
    const fit = judge(await version(found.path), needs);
    switch (fit.fit) {
      case "yes":
        this.log.info(`${found.path}: version ${fit.version}, found by ${found.origin}`);
        return found.path;
      case "unreleased":
        this.log.info(`${found.path}: version ${fit.version}, found by ${found.origin}; not a release, taken to fit`);
        return found.path;
      case "old":
      case "new":
        void this.offer(
          `Diffprof: ${found.path} is version ${fit.version}, too ${fit.fit} for this extension, which needs ${fit.needs}` +
            (fit.fit === "old" ? " or newer." : " and its like. Update the extension, or choose another program."),
        );
        return null;
      case "other":
        void this.offer(`Diffprof: ${found.path} does not do: ${fit.why}.`);
        return null;
    }
  }

  private candidates(): Candidate[] {
    return candidates({
      setting: vscode.workspace.getConfiguration("diffprof").get("server.path", ""),
      extension: this.context.extensionPath,
      path: process.env["PATH"] ?? process.env["Path"] ?? "",
      delimiter,
      platform: process.platform,
      home: homedir(),
      workspace: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "",
    });
  }

  private async offer(message: string): Promise<void> {
    const [choose, how, log] = ["Choose the Program…", "How to Install It", "Show the Log"];
    this.log.warn(message);
    switch (await vscode.window.showErrorMessage(message, choose, how, log)) {
      case choose:
        return void vscode.commands.executeCommand("diffprof.chooseServer");
      case how:
        return void vscode.env.openExternal(vscode.Uri.parse(installPage));
      case log:
        return this.log.show();
    }
  }
}

/** Absent is the error of what needs a server where there is none; the user knows already. */
export class Absent extends Error {
  constructor() {
    super("diffprof's language server does not run");
  }
}

/** cancelled tells what the user cancelled, or a newer comparison, from what failed. */
export function cancelled(err: unknown): boolean {
  return err instanceof Absent || (err instanceof ResponseError && [-32800, -32802].includes(err.code)) || err instanceof vscode.CancellationError;
}

// servers leaves out the settings that are the extension's own: the server says so
// of each that it does not know.
function servers(settings: unknown): unknown {
  if (typeof settings !== "object" || settings === null) return settings;
  const { server: _, heat: __, trace: ___, ...rest } = settings as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "function"));
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

// version returns what the program prints, or nothing where it does not answer.
function version(program: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, ["version", "--json"], { timeout: 15_000, maxBuffer: 1 << 20, windowsHide: true, cwd: homedir() }, (err, out) =>
      resolve(err ? "" : out),
    );
  });
}
