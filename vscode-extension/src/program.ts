// Finds the program that this extension runs and checks its version. If no program is
// compatible, it shows the user what to do.

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter } from "node:path";
import * as vscode from "vscode";
import { candidates, find, judge } from "./binary.ts";

/** needs is the oldest release of diffprof that this extension works with. */
const needs = "0.1.0";

const installPage = "https://github.com/diffprof/diffprof/blob/main/docs/vscode.md#the-program";

/** program returns the program's path. If none is compatible, it shows a message and returns null. */
export async function program(extension: string, log: vscode.LogOutputChannel): Promise<string | null> {
  const list = candidates({
    setting: vscode.workspace.getConfiguration("diffprof").get("server.path", ""),
    extension,
    path: process.env["PATH"] ?? process.env["Path"] ?? "",
    delimiter,
    platform: process.platform,
    home: homedir(),
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "",
  });
  const found = find(list, runs);
  if (!found) {
    const setting = list[0]?.origin === "setting" ? list[0].path : "";
    void offer(
      log,
      setting
        ? `The setting diffprof.server.path names no program: ${setting}.`
        : "The program diffprof was found neither in the extension nor on PATH.",
    );
    return null;
  }
  const fit = judge(await version(found.path), needs);
  switch (fit.fit) {
    case "yes":
    case "unreleased":
      log.info(`${found.path}: version ${fit.version}, found through ${found.origin}${fit.fit === "yes" ? "" : "; not a release, assumed to be compatible"}`);
      return found.path;
    case "old":
      void offer(log, `${found.path} is version ${fit.version}, too old: this extension needs ${fit.needs} or newer.`);
      return null;
    case "new":
      void offer(log, `${found.path} is version ${fit.version}, too new for this extension: update the extension, or choose version ${fit.needs} of the program.`);
      return null;
    case "other":
      void offer(log, `${found.path} cannot be used: ${fit.why}.`);
      return null;
  }
}

/** offer shows why no server runs, with buttons for the remedies. */
export async function offer(log: vscode.LogOutputChannel, why: string): Promise<void> {
  const [choose, how, show] = ["Choose the Program…", "How to Install It", "Show the Log"];
  log.warn(why);
  switch (await vscode.window.showErrorMessage(`Diffprof: ${why}`, choose, how, show)) {
    case choose:
      return void vscode.commands.executeCommand("diffprof.chooseServer");
    case how:
      return void vscode.env.openExternal(vscode.Uri.parse(installPage));
    case show:
      return log.show();
  }
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

// version returns the program's output; empty if it does not answer.
function version(path: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(path, ["version", "--json"], { timeout: 15_000, maxBuffer: 1 << 20, windowsHide: true, cwd: homedir() }, (err, out) => resolve(err ? "" : out));
  });
}
