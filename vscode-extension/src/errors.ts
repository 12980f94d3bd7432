// What may go wrong, told apart and put into words.

import * as vscode from "vscode";
import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";

/** Absent is the error of what needs a server where there is none; the user knows already. */
export class Absent extends Error {
  constructor() {
    super("diffprof's language server does not run");
  }
}

/** cancelled tells what the user cancelled, or a newer comparison, from what failed. */
export function cancelled(err: unknown): boolean {
  return err instanceof vscode.CancellationError || has(err, LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled);
}

/** told is whether the user knows of an error: of a server that is not there, or ended. */
export function told(err: unknown): boolean {
  return err instanceof Absent || cancelled(err) || has(err, ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive);
}

/** refused tells a request that the server could not carry out. */
export function refused(err: unknown): boolean {
  return has(err, LSPErrorCodes.RequestFailed);
}

/** words are an error's, for people. */
export function words(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}

/** background sees to a promise that nobody waits for: what fails is logged. */
export function background(log: vscode.LogOutputChannel, doing: string, work: PromiseLike<unknown>): void {
  work.then(undefined, (err: unknown) => {
    if (!told(err)) log.error(`${doing}: ${words(err)}`);
  });
}

function has(err: unknown, ...codes: number[]): boolean {
  return err instanceof ResponseError && codes.includes(err.code);
}
