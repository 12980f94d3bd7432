// The protocol's client. The extension, not the client, restarts servers and reports
// failures.

import { homedir } from "node:os";
import { CloseAction, ErrorAction, LanguageClient, type DynamicFeature, type InitializeParams, type LanguageClientOptions, type StaticFeature } from "vscode-languageclient/node";
import { words } from "./errors.ts";

export class Client extends LanguageClient {
  /** command is the program's path; closed is called when the server ends unexpectedly. */
  constructor(command: string, closed: (client: Client) => void, options: LanguageClientOptions) {
    super("diffprof", "Diffprof", { command, args: ["lsp"], options: { cwd: homedir() } }, {
      ...options,
      initializationFailedHandler: () => false,
      // A client that restarts its server may confuse the old and the new server, if
      // the old one ends while the new one starts.
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => {
          closed(this);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
  }

  // The server sends its own notifications only to clients that request them.
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.capabilities.experimental = { diffprof: { notifications: true } };
  }

  // The extension registers the server's commands itself, since it prompts for their
  // arguments and shows their results. The client must not register them again.
  override registerFeature(feature: StaticFeature | DynamicFeature<never>): void {
    const method = "registrationType" in feature ? feature.registrationType.method : "";
    if (method !== "workspace/executeCommand") super.registerFeature(feature);
  }

  // Several messages about one failure would hide the message with a remedy.
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** stop ends the server. It never fails. */
  override async stop(timeout?: number): Promise<void> {
    await super.stop(timeout).catch((err: unknown) => this.warn(`stopping: ${words(err)}`, undefined, false));
  }
}
