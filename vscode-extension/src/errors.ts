// Kinds of errors, and the words for them.

import * as vscode from "vscode";
import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";

/** Absent is the error of an action that needs a server while there is none. The user has been told. */
export class Absent extends Error {
  constructor() {
    super("diffprof's language server does not run");
  }
}

/** cancelled says whether an error means that the user, or a newer comparison, cancelled the action. */
export function cancelled(err: unknown): boolean {
  return err instanceof vscode.CancellationError || has(err, LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled);
}

/** told says whether the user has been told of an error: that there is no server, or that it ended. */
export function told(err: unknown): boolean {
  return err instanceof Absent || cancelled(err) || has(err, ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive);
}

/** refused says whether the server answered that it could not do what was asked. */
export function refused(err: unknown): boolean {
  return has(err, LSPErrorCodes.RequestFailed);
}

/** words are an error's message for people. */
export function words(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}

/** background logs the failure of a promise that nobody waits for. */
export function background(log: vscode.LogOutputChannel, doing: string, work: PromiseLike<unknown>): void {
  work.then(undefined, (err: unknown) => {
    if (!told(err)) log.error(`${doing}: ${words(err)}`);
  });
}

function has(err: unknown, ...codes: number[]): boolean {
  return err instanceof ResponseError && codes.includes(err.code);
}
