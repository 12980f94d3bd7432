// Pickers for traces: first the files of the workspace, newest first, then any file.

import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import * as vscode from "vscode";
import { compressions, extensions } from "./formats.ts";
import type { Run } from "./runs.ts";
import { base, traceName } from "./text.ts";

/** isTrace reports whether a file has the name of a trace. The server checks its content. */
export function isTrace(name: string): boolean {
  return traceName.test(name);
}

interface TraceItem extends vscode.QuickPickItem {
  path?: string;
}

// A workspace may be as large as a disk. These bounds limit the search.
const deepest = 8;
const mostFolders = 5000;
const skipped = new Set(["node_modules", ".git", ".gradle", ".idea", "build", "out"]);

/** traces finds the files in the workspace that look like traces, newest first. */
export async function traces(token?: vscode.CancellationToken): Promise<{ path: string; root: string; when: number }[]> {
  const found: { path: string; root: string; when: number }[] = [];
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    if (folder.uri.scheme !== "file") continue;
    const root = folder.uri.fsPath;
    const queue: [string, number][] = [[root, 0]];
    for (let n = 0; queue.length > 0 && n < mostFolders && !token?.isCancellationRequested; n++) {
      const [path, depth] = queue.shift()!;
      const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
      for (const e of entries) {
        const full = join(path, e.name);
        if (e.isDirectory() && depth < deepest && !skipped.has(e.name)) queue.push([full, depth + 1]);
        if (e.isFile() && isTrace(e.name)) found.push({ path: full, root, when: (await stat(full).catch(() => null))?.mtimeMs ?? 0 });
      }
    }
  }
  return found.sort((a, b) => b.when - a.when || a.path.localeCompare(b.path));
}

/** pickTrace lets the user pick a trace. It returns undefined if the user cancels. */
export async function pickTrace(title: string, placeholder: string, runs: readonly Run[], but = ""): Promise<string | undefined> {
  const source = new vscode.CancellationTokenSource();
  const items = async (): Promise<TraceItem[]> => {
    const here = (await traces(source.token)).filter((t) => t.path !== but);
    const known = new Set(here.map((t) => t.path));
    const before = [...new Set(runs.flatMap((r) => [r.subject, r.reference]))].filter((p) => !known.has(p) && p !== but);
    const list: TraceItem[] = [];
    const section = (label: string, of: TraceItem[]) => {
      if (of.length > 0) list.push({ label, kind: vscode.QuickPickItemKind.Separator }, ...of);
    };
    section("in the workspace", here.map((t) => ({ label: `$(graph-line) ${base(t.path)}`, description: relative(t.root, t.path), path: t.path })));
    section("compared before", before.slice(0, 10).map((p) => ({ label: `$(history) ${base(p)}`, description: p, path: p })));
    list.push({ label: "", kind: vscode.QuickPickItemKind.Separator }, { label: "$(folder-opened) Another file…", alwaysShow: true });
    return list;
  };
  try {
    const picked = await vscode.window.showQuickPick(items(), { title, placeHolder: placeholder, matchOnDescription: true });
    if (!picked) return undefined;
    if (picked.path) return picked.path;
  } finally {
    source.cancel();
    source.dispose();
  }
  const files = await vscode.window.showOpenDialog({
    title, openLabel: "Choose",
    filters: { Traces: [...extensions, ...compressions], "All files": ["*"] },
  });
  return files?.[0]?.fsPath;
}
