// Finds the diffprof program and checks its version. Nothing here depends on VS Code, and
// only the caller runs programs.

import { join } from "node:path";

/** The places to search for the program, best first. */
export type Origin = "setting" | "extension" | "path";

export interface Candidate {
  path: string;
  origin: Origin;
}

export interface Places {
  /** the value of the setting; empty if not set */
  setting: string;
  /** the extension's folder */
  extension: string;
  /** PATH, and the character that separates its folders */
  path: string;
  delimiter: string;
  platform: NodeJS.Platform;
  home: string;
  /** the base folder of a relative setting; empty without a workspace */
  workspace: string;
}

/**
 * candidates lists the possible paths of the program, best first. A setting is the only
 * candidate: another program would hide an error in the setting.
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

/** find returns the first executable candidate. */
export function find(list: Candidate[], runs: (path: string) => boolean): Candidate | null {
  return list.find((c) => runs(c.path)) ?? null;
}

// A relative folder of PATH would depend on VS Code's working folder.
function isAbsolute(path: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" ? /^([a-z]:[\\/]|\\\\)/i.test(path) : path.startsWith("/");
}

function expand(path: string, p: Places): string {
  if (path === "~" || path.startsWith("~/") || path.startsWith("~\\")) return join(p.home, path.slice(1));
  if (path.startsWith("${workspaceFolder}")) return join(p.workspace, path.slice("${workspaceFolder}".length));
  return isAbsolute(path, p.platform) || !p.workspace ? path : join(p.workspace, path);
}

/** Fit is the compatibility of a program's version with this extension. */
export type Fit =
  | { fit: "yes"; version: string }
  /** built from a checkout, so it has no release number to compare */
  | { fit: "unreleased"; version: string }
  | { fit: "old" | "new"; version: string; needs: string }
  | { fit: "other"; why: string };

/**
 * judge parses the output of `diffprof version --json`. needs is the oldest compatible
 * release. A release with another major version is never compatible.
 */
export function judge(output: string, needs: string): Fit {
  let version: unknown;
  try {
    version = (JSON.parse(output) as { version?: unknown }).version;
  } catch {
    return { fit: "other", why: "it is not diffprof, or too old for this extension" };
  }
  if (typeof version !== "string" || version === "") return { fit: "other", why: "its output has no version" };
  const have = release(version);
  const want = release(needs);
  if (!have || !want) return { fit: "unreleased", version };
  if (have[0] > want[0]) return { fit: "new", version, needs };
  return less(have, want) ? { fit: "old", version, needs } : { fit: "yes", version };
}

type Release = [number, number, number];

// In a checkout without tags, Go's version is v0.0.0 with a date, which is no release.
function release(version: string): Release | null {
  const m = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version);
  if (!m || /^v?0\.0\.0/.test(version)) return null;
  return [Number(m[1]), Number(m[2]), Number(m[3])];
}

function less(a: Release, b: Release): boolean {
  for (const i of [0, 1, 2] as const) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}
