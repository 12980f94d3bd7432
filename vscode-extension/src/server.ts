// Starts and stops the language server. It starts on demand, and never in an untrusted
// folder.

import * as vscode from "vscode";
import {
  MessageType, ShowMessageNotification, State, WorkDoneProgressCancelNotification, type LanguageClient, type Middleware, type ProgressToken, type ShowMessageParams,
} from "vscode-languageclient/node";
import { Client } from "./client.ts";
import { Absent, background, words } from "./errors.ts";
import { offer, program } from "./program.ts";
import { methods, type Comparison } from "./protocol.ts";

/** Why no server runs. The Tasks view shows it. */
export type Absence = "untrusted" | "missing" | "ended" | "idle";

/** A Presence is the state of the server, or the reason why no server runs. */
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
  /** fired when a comparison has ended */
  readonly onCompared = this.compared.event;
  /** fired when results may have changed: after a comparison, or by settings or edits */
  readonly onChanged = this.changed.event;
  /** the progress of a comparison; null at its end */
  readonly onProgress = this.progressed.event;
  readonly onPresence = this.presence.event;

  constructor(private readonly context: vscode.ExtensionContext) {}

  /** running reports whether the server runs. It starts nothing. */
  running(): boolean {
    return this.client?.state === State.Running;
  }

  /** start starts the server unless it runs. If it cannot, it shows a message and returns null. */
  start(): Promise<LanguageClient | null> {
    if (this.client && !this.starting) return Promise.resolve(this.client);
    this.starting ??= this.startNow().finally(() => (this.starting = null));
    return this.starting;
  }

  /** stop ends the server. It never fails. */
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

  /** ask sends a request to the running server. It fails with a readable message. */
  async ask<R>(method: string, params: unknown): Promise<R> {
    if (!this.client || !this.running()) throw new Absent();
    return this.client.sendRequest<R>(method, params);
  }

  /** command runs a command on the server, and starts the server if necessary. */
  async command<R>(command: string, argument?: unknown, token?: vscode.CancellationToken): Promise<R> {
    const client = await this.start();
    if (!client) throw new Absent();
    const params = { command, arguments: argument === undefined ? [] : [argument] };
    return token ? client.sendRequest<R>("workspace/executeCommand", params, token) : client.sendRequest<R>("workspace/executeCommand", params);
  }

  /** cancel ends the running comparison, if any. */
  async cancel(): Promise<void> {
    if (this.comparing !== null) await this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token: this.comparing });
  }

  private async startNow(): Promise<Client | null> {
    if (!vscode.workspace.isTrusted) {
      this.presence.fire("untrusted");
      const manage = "Manage Workspace Trust";
      void vscode.window
        .showWarningMessage("Diffprof starts no program in an untrusted folder.", manage)
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
    // The server may have ended since its answer to the client.
    if (client.state === State.Running) {
      this.log.info(`${command} is running`);
      this.presence.fire("running");
      return client;
    }
    this.client = null;
    return this.again() ? this.startNow() : null;
  }

  // closed is called when the server ended unexpectedly. Its results are lost too.
  private closed(client: Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.progress(null, null);
    if (!this.starting && this.again()) background(this.log, "starting again", this.start());
  }

  // again decides whether to restart a server that ended or did not start. A server that ends
  // repeatedly is not restarted. Only the last end shows a message, because VS Code hides the
  // fourth message within a second.
  private again(): boolean {
    const now = Date.now();
    this.failures = [...this.failures.filter((t) => now - t < 3 * 60_000), now];
    if (this.failures.length >= 4) {
      this.failures = [];
      this.presence.fire("ended");
      void offer(this.log, "The program diffprof crashed four times in three minutes and was not restarted.");
      return false;
    }
    this.presence.fire("idle");
    if (this.failures.length === 1) {
      const show = "Show the Log";
      void vscode.window.showWarningMessage("Diffprof's program crashed and is being restarted.", show).then((answer) => answer && this.log.show());
    }
    return true;
  }

  private progress(token: ProgressToken | null, progress: Progress | null): void {
    this.comparing = token;
    this.progressed.fire(progress);
  }

  // say shows a message of the server, with "Diffprof" at its beginning. It only logs failed
  // comparisons, because the views show them.
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

// servers omits the settings of the extension itself, because the server reports each unknown
// setting.
function servers(settings: unknown): unknown {
  if (typeof settings !== "object" || settings === null) return settings;
  const { server: _, trace: __, assistant: ___, ...rest } = settings as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "function"));
}
