// A webview with the app of the HTML report. The extension sends its data.
// web/src/host.ts describes the messages.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { page } from "./page.ts";

/** FromApp is a message of the app. */
export type FromApp =
  | { type: "ready" }
  | { type: "flask"; id: string }
  | { type: "open"; method: string; file: string; line: number }
  | { type: "copy"; text: string }
  | { type: "title"; text: string };

/** allowed are the permissions of the app: it runs scripts, and loads nothing. */
export const allowed: vscode.WebviewOptions = { enableScripts: true, localResourceRoots: [] };

/** fill writes the webview's document: the app, and a message until its data arrives. */
export async function fill(webview: vscode.Webview, extension: vscode.Uri, waiting: string): Promise<void> {
  const file = (name: string) => readFile(vscode.Uri.joinPath(extension, "dist", "web", name).fsPath, "utf8");
  const [script, style] = await Promise.all([file("app.js"), file("app.css")]);
  webview.html = page(script, style, randomBytes(24).toString("base64"), waiting);
}
