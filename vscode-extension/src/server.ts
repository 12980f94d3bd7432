// Starts and stops the language server. It is started when there is something for it
// to do, and never in a folder that is not trusted.

import * as vscode from "vscode";
import {
  MessageType, ShowMessageNotification, State, WorkDoneProgressCancelNotification, type LanguageClient, type Middleware, type ProgressToken, type ShowMessageParams,
} from "vscode-languageclient/node";
import { Client } from "./client.ts";
import { Absent, background, words } from "./errors.ts";
import { offer, program } from "./program.ts";
import { methods, type Comparison } from "./protocol.ts";

/** Why there is no server: shown in the Tasks view. */
export type Absence = "untrusted" | "missing" | "ended" | "idle";

/** A Presence says whether there is a server, and else why not. */
export type Presence = Absence | "starting" | "running";

export interface Progress {
  message: string;
  percent: number;
}

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("Diffprof", { log: true });
  private client: Client | null = null;
  private starting: Promise<Client | null> | null = null;
  private comparing: ProgressToken | null = null;
  private failures: number[] = [];
  private readonly compared = new vscode.EventEmitter<Comparison>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly progressed = new vscode.EventEmitter<Progress | null>();
  private readonly presence = new vscode.EventEmitter<Presence>();
  /** a comparison has ended */
  readonly onCompared = this.compared.event;
  /** results may have changed: after a comparison, by settings or by edits */
  readonly onChanged = this.changed.event;
  /** the progress of a comparison; null at its end */
  readonly onProgress = this.progressed.event;
  readonly onPresence = this.presence.event;

  constructor(private readonly context: vscode.ExtensionContext) {}

  /** running says whether the server runs. It starts nothing. */
  running(): boolean {
    return this.client?.state === State.Running;
  }

  /** start starts the server unless it runs. If it cannot, it tells the user and returns null. */
  start(): Promise<LanguageClient | null> {
    if (this.client && !this.starting) return Promise.resolve(this.client);
    this.starting ??= this.startNow().finally(() => (this.starting = null));
    return this.starting;
  }

  /** stop ends the server; it does not fail. */
  async stop(): Promise<void> {
    await this.starting?.catch(() => null);
    const client = this.client;
    this.client = null;
    this.progress(null, null);
    await client?.stop(5000);
  }

  async restart(): Promise<boolean> {
    await this.stop();
    return (await this.start()) !== null;
  }

  dispose(): void {
    for (const d of [this.compared, this.changed, this.progressed, this.presence, this.log]) d.dispose();
  }

  /** ask asks the server if it runs; it fails with a message for people. */
  async ask<R>(method: string, params: unknown): Promise<R> {
    if (!this.client || !this.running()) throw new Absent();
    return this.client.sendRequest<R>(method, params);
  }

  /** command lets the server carry out a command, and starts the server if need be. */
  async command<R>(command: string, argument?: unknown, token?: vscode.CancellationToken): Promise<R> {
    const client = await this.start();
    if (!client) throw new Absent();
    const params = { command, arguments: argument === undefined ? [] : [argument] };
    return token ? client.sendRequest<R>("workspace/executeCommand", params, token) : client.sendRequest<R>("workspace/executeCommand", params);
  }

  /** cancel ends the running comparison, if there is one. */
  async cancel(): Promise<void> {
    if (this.comparing !== null) await this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token: this.comparing });
  }

  private async startNow(): Promise<Client | null> {
    if (!vscode.workspace.isTrusted) {
      this.presence.fire("untrusted");
      const manage = "Manage Workspace Trust";
      void vscode.window
        .showWarningMessage("Diffprof starts no program in a folder that is not trusted.", manage)
        .then((answer) => answer && vscode.commands.executeCommand("workbench.trust.manage"));
      return null;
    }
    const command = await program(this.context.extensionPath, this.log);
    if (!command) {
      this.presence.fire("missing");
      return null;
    }
    const client = new Client(command, (ended) => this.closed(ended), {
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
    });
    client.onNotification(methods.didCompare, (c: Comparison) => this.compared.fire(c));
    client.onNotification(methods.didChange, () => this.changed.fire());
    client.onNotification(ShowMessageNotification.type, (m) => this.say(m));
    this.client = client;
    this.presence.fire("starting");
    try {
      await client.start();
    } catch (err) {
      this.log.error(`${command} did not start: ${words(err)}`);
    }
    // The server may have ended after it answered the client.
    if (client.state === State.Running) {
      this.log.info(`${command} serves`);
      this.presence.fire("running");
      return client;
    }
    this.client = null;
    return this.again() ? this.startNow() : null;
  }

  // closed is called when the server ended by itself, and its results with it.
  private closed(client: Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.progress(null, null);
    if (!this.starting && this.again()) background(this.log, "starting again", this.start());
  }

  // again decides whether to restart a server that ended or did not start. A server that
  // keeps ending is not restarted. There are no messages for the ends in between, since
  // VS Code hides the fourth message within a second.
  private again(): boolean {
    const now = Date.now();
    this.failures = [...this.failures.filter((t) => now - t < 3 * 60_000), now];
    if (this.failures.length >= 4) {
      this.failures = [];
      this.presence.fire("ended");
      void offer(this.log, "The program diffprof ended four times in three minutes, and is not started again.");
      return false;
    }
    this.presence.fire("idle");
    if (this.failures.length === 1) {
      const show = "Show the Log";
      void vscode.window.showWarningMessage("Diffprof's program ended by itself, and is started again.", show).then((answer) => answer && this.log.show());
    }
    return true;
  }

  private progress(token: ProgressToken | null, progress: Progress | null): void {
    this.comparing = token;
    this.progressed.fire(progress);
  }

  // say shows what the server says, with our name. A comparison that failed is shown by
  // the views, which hear of it by didCompare.
  private say({ type, message }: ShowMessageParams): void {
    if (message.startsWith("Comparing failed: ")) return this.log.error(message);
    const text = /^diffprof/i.test(message) ? message : `Diffprof: ${message}`;
    if (type === MessageType.Error) void vscode.window.showErrorMessage(text);
    else if (type === MessageType.Warning) void vscode.window.showWarningMessage(text);
    else void vscode.window.showInformationMessage(text);
  }

  // The extension itself shows the progress of comparisons.
  private middleware(): Middleware {
    return {
      workspace: {
        configuration: async (params, token, next) => {
          const values = await next(params, token);
          return Array.isArray(values) ? values.map(servers) : values;
        },
      },
      handleWorkDoneProgress: (token, params, next) => {
        if (typeof token !== "string" || !token.startsWith("diffprof/compare/")) return next(token, params);
        if (params.kind !== "end") return this.progress(token, { message: params.message ?? "", percent: params.percentage ?? 0 });
        if (token === this.comparing) this.progress(null, null);
        next(token, params);
      },
    };
  }
}

// servers leaves out the settings of the extension itself: the server reports each
// setting that it does not know.
function servers(settings: unknown): unknown {
  if (typeof settings !== "object" || settings === null) return settings;
  const { server: _, trace: __, ...rest } = settings as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "function"));
}
