// What goes otherwise: folders that are not trusted, programs that are missing or do
// not fit, damaged traces, several roots, themes.

import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Code, missing } from "./code.ts";

const why = missing();

describe.skipIf(why)(`VS Code where something is different${why && `: ${why}`}`, () => {
  const code = new Code("cases");

  // A program of another version, which would leave a mark if it were made to serve.
  function program(name: string, output: string): string {
    const path = join(code.folder, name);
    writeFileSync(path, `#!/bin/sh\ncase $1 in version) echo '${output}' ;; *) touch '${path}.served' ;; esac\n`);
    chmodSync(path, 0o755);
    return path;
  }

  beforeAll(() => code.start());

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await code.picture("failed");
    await code.close();
  });

  afterAll(() => code.remove());

  it("starts no process in a folder that is not trusted, and says so; starts one when it is", async () => {
    await code.open(code.copySample("untrusted"), { "security.workspace.trust.enabled": true, "workbench.colorTheme": "Default Dark Modern" });
    await code.show();
    await code.welcome("not trusted").waitFor();
    await code.picture("untrusted");
    expect(code.servers()).toEqual([]);
    await code.command("Workspaces: Manage Workspace Trust");
    await code.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first().click();
    await code.tasks("TextView.setText").first().waitFor();
    await code.picture("trusted-dark");
    expect(code.servers()).toHaveLength(1);
  });

  it("offers what to do where there is no program", async () => {
    await code.open(code.copySample("missing"), { "diffprof.server.path": "/nowhere/diffprof" });
    await code.toast("/nowhere/diffprof").waitFor();
    await code.show();
    await code.welcome("Choose the Program").waitFor();
    await code.picture("missing");
  });

  it("refuses a program that is too old, without starting it", async () => {
    const old = program("old-diffprof", '{"version":"0.0.9"}');
    await code.open(code.copySample("old"), { "diffprof.server.path": old });
    await code.toast("version 0.0.9, too old").waitFor();
    await code.picture("old");
    expect(existsSync(`${old}.served`)).toBe(false);
  });

  it("says what is the matter with a damaged trace", async () => {
    const path = code.copySample("damaged");
    rmSync(join(path, "diffprof.yaml"));
    writeFileSync(join(path, "traces/damaged.trace"), "*version\n3\nnot a trace\n");
    await code.open(path);
    await code.openFile("traces");
    await code.menu(code.page.locator('.explorer-folders-view .monaco-list-row[aria-label^="pandora-5.7.trace.gz"]'), "Compare with…");
    await code.pick("damaged.trace");
    await code.toast("damaged.trace").first().waitFor();
    await code.picture("damaged");
  });

  it("serves two roots with one process", async () => {
    const [a, b] = [code.copySample("first"), code.copySample("second")];
    rmSync(join(b, "diffprof.yaml"));
    rmSync(join(a, "app"), { recursive: true });
    const file = join(code.folder, "two.code-workspace");
    writeFileSync(file, JSON.stringify({ folders: [{ path: a }, { path: b }] }));
    await code.open(file);
    await code.show();
    await code.tasks("TextView.setText").first().waitFor();
    await code.tasks("Handler.post").first().click();
    await code.tab("ElapsedTicker.java").waitFor();
    await code.picture("two-roots");
    expect(code.servers()).toHaveLength(1);
  });

  it("shows the walkthrough", async () => {
    await code.open(code.copySample("walkthrough"));
    await code.command("Diffprof: Get Started");
    await code.page.locator(".gettingStartedContainer", { hasText: "Find out what your app drains" }).waitFor();
    await code.page.locator(".gettingStartedContainer .step-title", { hasText: "See why" }).first().click();
    await code.picture("walkthrough");
  });
});
