// What goes otherwise: folders that are not trusted, programs that are missing or do
// not fit, damaged traces, several roots, themes.

import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Code, missing } from "./code.ts";

const why = missing();

describe.skipIf(why)(`VS Code where something is different${why && `: ${why}`}`, () => {
  const code = new Code("cases");
  const view = () => code.page.locator(".activitybar a[aria-label^=\"Diffprof\"]").click();
  const tasks = () => code.page.locator('.pane:has([aria-label^="Tasks"]) .monaco-list-row');
  const welcome = (text: string) => code.page.locator(".welcome-view-content", { hasText: text });
  const toast = (text: string) => code.page.locator(".notification-toast", { hasText: text });

  function folder(name: string, settings: Record<string, unknown> = {}): string {
    const path = join(code.folder, name);
    code.copySample(path);
    mkdirSync(join(path, ".vscode"), { recursive: true });
    writeFileSync(join(path, ".vscode/settings.json"), JSON.stringify(settings));
    return path;
  }

  // A program of another version, which would leave a mark if it were made to serve.
  function program(name: string, output: string): string {
    const path = join(code.folder, name);
    writeFileSync(path, `#!/bin/sh\ncase $1 in version) echo '${output}' ;; *) touch '${path}.served' ;; esac\n`);
    chmodSync(path, 0o755);
    return path;
  }

  beforeAll(async () => {
    code.install();
    await code.start({ "workbench.colorTheme": "Default Dark Modern" }, { trust: true });
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await code.picture("failed");
    await code.closePage();
  });

  afterAll(async () => {
    await code.stop();
    code.remove();
  });

  it("starts no process in a folder that is not trusted, and says so; starts one when it is", async () => {
    await code.open(folder("untrusted"));
    await view();
    await welcome("not trusted").waitFor();
    await code.picture("untrusted");
    expect(code.servers()).toEqual([]);
    await code.command("Workspaces: Manage Workspace Trust");
    await code.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first().click();
    await tasks().filter({ hasText: "TextView.setText" }).first().waitFor();
    await code.picture("trusted-dark");
    expect(code.servers()).toHaveLength(1);
  });

  it("offers what to do where there is no program", async () => {
    await code.trusted(folder("missing", { "diffprof.server.path": "/nowhere/diffprof" }));
    await toast("/nowhere/diffprof").waitFor();
    await view();
    await welcome("Choose the Program").waitFor();
    await code.picture("missing");
  });

  it("refuses a program that is too old, without starting it", async () => {
    const old = program("old-diffprof", '{"version":"0.0.9"}');
    await code.trusted(folder("old", { "diffprof.server.path": old }));
    await toast("version 0.0.9, too old").waitFor();
    await code.picture("old");
    expect(existsSync(`${old}.served`)).toBe(false);
  });

  it("says what is the matter with a damaged trace", async () => {
    const path = folder("damaged");
    rmSync(join(path, "diffprof.yaml"));
    writeFileSync(join(path, "traces/damaged.trace"), "*version\n3\nnot a trace\n");
    await code.trusted(path);
    await code.openFile("traces");
    await code.menu(code.page.locator('.explorer-folders-view .monaco-list-row[aria-label^="pandora-5.7.trace.gz"]'), "Compare with…");
    await code.page.locator(".quick-input-list .monaco-list-row", { hasText: "damaged.trace" }).click();
    await toast("damaged.trace").first().waitFor();
    await code.picture("damaged");
  });

  it("serves two roots with one process", async () => {
    const [a, b] = [folder("first"), folder("second")];
    rmSync(join(b, "diffprof.yaml"));
    rmSync(join(a, "app"), { recursive: true });
    const file = join(code.folder, "two.code-workspace");
    writeFileSync(file, JSON.stringify({ folders: [{ path: a }, { path: b }] }));
    const before = new Set(code.servers());
    await code.trusted(file);
    await view();
    await tasks().filter({ hasText: "TextView.setText" }).first().waitFor();
    await tasks().filter({ hasText: "Handler.post" }).first().click();
    await code.page.locator(".tab.active", { hasText: "ElapsedTicker.java" }).waitFor();
    await code.picture("two-roots");
    expect(code.servers().filter((p) => !before.has(p))).toHaveLength(1);
  });

  it("shows the walkthrough", async () => {
    await code.trusted(folder("walkthrough"));
    await code.command("Diffprof: Get Started");
    await code.page.locator(".gettingStartedContainer", { hasText: "Find out what your app drains" }).waitFor();
    await code.page.locator(".gettingStartedContainer .step-title", { hasText: "See why" }).first().click();
    await code.picture("walkthrough");
  });
});
