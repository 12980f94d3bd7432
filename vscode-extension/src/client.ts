// The protocol's client, which leaves it to the extension to start servers again and
// to say what failed.

import { homedir } from "node:os";
import { CloseAction, ErrorAction, LanguageClient, type DynamicFeature, type LanguageClientOptions, type StaticFeature } from "vscode-languageclient/node";
import { words } from "./errors.ts";

export class Client extends LanguageClient {
  /** command is the program's path; closed is called when the server ends by itself. */
  constructor(command: string, closed: (client: Client) => void, options: LanguageClientOptions) {
    super("diffprof", "Diffprof", { command, args: ["lsp"], options: { cwd: homedir() } }, {
      ...options,
      initializationFailedHandler: () => false,
      // A client that starts a server again does so on the remains of the one before,
      // which is told apart from the new one badly if it ended while it started.
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => {
          closed(this);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
  }

  // The server's commands are the extension's too, which asks for their arguments and
  // shows their results; the client would register them a second time.
  override registerFeature(feature: StaticFeature | DynamicFeature<never>): void {
    const method = "registrationType" in feature ? feature.registrationType.method : "";
    if (method !== "workspace/executeCommand") super.registerFeature(feature);
  }

  // Several messages of one matter would hide the one that says what to do.
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** stop ends the server; it does not fail. */
  override async stop(timeout?: number): Promise<void> {
    await super.stop(timeout).catch((err: unknown) => this.warn(`stopping: ${words(err)}`, undefined, false));
  }
}
