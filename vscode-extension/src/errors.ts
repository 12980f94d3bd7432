// Kinds of errors, and their messages.

import * as vscode from "vscode";
import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";

/** Absent is the error of an action that needs a server while none runs. The user has already seen a message. */
export class Absent extends Error {
  constructor() {
    super("diffprof's language server is not running");
  }
}

/** cancelled reports whether the user, or a newer comparison, cancelled the action. */
export function cancelled(err: unknown): boolean {
  return err instanceof vscode.CancellationError || has(err, LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled);
}

/** told reports whether the user has already seen a message about an error: the server is missing, or has ended. */
export function told(err: unknown): boolean {
  return err instanceof Absent || cancelled(err) || has(err, ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive);
}

/** refused reports whether the server answered with an error. */
export function refused(err: unknown): boolean {
  return has(err, LSPErrorCodes.RequestFailed);
}

/** words returns an error's message on screen. */
export function words(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}

/** background logs the failure of a promise that no code awaits. */
export function background(log: vscode.LogOutputChannel, doing: string, work: PromiseLike<unknown>): void {
  work.then(undefined, (err: unknown) => {
    if (!told(err)) log.error(`${doing}: ${words(err)}`);
  });
}

function has(err: unknown, ...codes: number[]): boolean {
  return err instanceof ResponseError && codes.includes(err.code);
}
