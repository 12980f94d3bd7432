// Finds the diffprof program and checks whether its version fits. Nothing here depends
// on VS Code, and only the caller runs programs.

import { join } from "node:path";

/** Where a program was looked for, best first. */
export type Origin = "setting" | "extension" | "path";

export interface Candidate {
  path: string;
  origin: Origin;
}

export interface Places {
  /** the setting's value; empty if it is not set */
  setting: string;
  /** the extension's folder */
  extension: string;
  /** PATH, and the character that separates its folders */
  path: string;
  delimiter: string;
  platform: NodeJS.Platform;
  home: string;
  /** the workspace folder that a relative setting is relative to; empty if there is none */
  workspace: string;
}

/**
 * candidates lists where the program may be, best first. If there is a setting, it is
 * the only candidate: another program would hide that the setting is wrong.
 */
export function candidates(p: Places): Candidate[] {
  const name = p.platform === "win32" ? "diffprof.exe" : "diffprof";
  if (p.setting.trim()) return [{ path: expand(p.setting.trim(), p), origin: "setting" }];
  const folders = p.path.split(p.delimiter).filter((f) => f !== "" && isAbsolute(f, p.platform));
  return [
    { path: join(p.extension, "bin", name), origin: "extension" as const },
    ...folders.map((f) => ({ path: join(f, name), origin: "path" as const })),
  ];
}

/** find returns the first candidate that can be run. */
export function find(list: Candidate[], runs: (path: string) => boolean): Candidate | null {
  return list.find((c) => runs(c.path)) ?? null;
}

// A relative folder of PATH would depend on where VS Code was started.
function isAbsolute(path: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" ? /^([a-z]:[\\/]|\\\\)/i.test(path) : path.startsWith("/");
}

function expand(path: string, p: Places): string {
  if (path === "~" || path.startsWith("~/") || path.startsWith("~\\")) return join(p.home, path.slice(1));
  if (path.startsWith("${workspaceFolder}")) return join(p.workspace, path.slice("${workspaceFolder}".length));
  return isAbsolute(path, p.platform) || !p.workspace ? path : join(p.workspace, path);
}

/** Fit says what a program's version means to this extension. */
export type Fit =
  | { fit: "yes"; version: string }
  /** built from a checkout, so there is no release to compare with */
  | { fit: "unreleased"; version: string }
  | { fit: "old" | "new"; version: string; needs: string }
  | { fit: "other"; why: string };

/**
 * judge reads the output of `diffprof version --json`. needs is the oldest release that
 * fits; no release with another major version fits.
 */
export function judge(output: string, needs: string): Fit {
  let version: unknown;
  try {
    version = (JSON.parse(output) as { version?: unknown }).version;
  } catch {
    return { fit: "other", why: "it is not diffprof, or one older than this extension" };
  }
  if (typeof version !== "string" || version === "") return { fit: "other", why: "it does not say its version" };
  const have = release(version);
  const want = release(needs);
  if (!have || !want) return { fit: "unreleased", version };
  if (have[0] > want[0]) return { fit: "new", version, needs };
  return less(have, want) ? { fit: "old", version, needs } : { fit: "yes", version };
}

type Release = [number, number, number];

// For a checkout without tags Go makes a version of v0.0.0 and a date: no release.
function release(version: string): Release | null {
  const m = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version);
  if (!m || /^v?0\.0\.0/.test(version)) return null;
  return [Number(m[1]), Number(m[2]), Number(m[3])];
}

function less(a: Release, b: Release): boolean {
  for (const i of [0, 1, 2] as const) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}
