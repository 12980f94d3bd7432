// A newcomer's way through the sample app: install, compare, look, ignore, restart,
// uninstall. The steps follow on one another.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Code, missing } from "./code.ts";

const why = missing();
const worst = "app/src/main/java/com/pandora/android/view/TrackElapsedTimeView.java";

describe.skipIf(why)(`VS Code and the sample app${why && `: ${why}`}`, () => {
  const code = new Code();
  const tasks = () => code.page.locator('.pane:has([aria-label^="Tasks"]) .monaco-list-row');

  beforeAll(async () => {
    code.install();
    code.copySample();
    rmSync(join(code.workspace, "diffprof.yaml"));
    mkdirSync(join(code.workspace, ".vscode"));
    writeFileSync(join(code.workspace, ".vscode/settings.json"), JSON.stringify({ "diffprof.unit": "uAh", "diffprof.powerProfile": "traces/power_profile.xml" }));
    await code.start({ "editor.fontSize": 13, "explorer.compactFolders": false });
    await code.open(code.workspace);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await code.picture("failed");
  });

  afterAll(async () => {
    await code.stop();
    code.remove();
  });

  it("starts no process before there is something to compare", async () => {
    await code.openFile(worst);
    await code.page.locator(".monaco-editor .view-line", { hasText: "class" }).first().waitFor();
    await code.page.locator('.activitybar a[aria-label^="Diffprof"]').click();
    await code.page.locator(".welcome-view-content", { hasText: "Compare a trace of your app" }).waitFor();
    await code.picture("empty");
    expect(code.servers()).toEqual([]);
  });

  it("compares two traces of the workspace", async () => {
    await code.command("Diffprof: Compare Two Traces…");
    const rows = code.page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: "pandora-5.7" }).waitFor();
    await code.picture("pick-subject");
    await rows.filter({ hasText: "pandora-5.7" }).click();
    await code.page.locator(".quick-input-title", { hasText: "2 of 2" }).waitFor();
    await rows.filter({ hasText: "pandora-8.3" }).click();
    await tasks().filter({ hasText: "TextView.setText" }).waitFor();
    await code.page.locator(".statusbar-item", { hasText: "to save" }).waitFor();
    expect(await tasks().first().textContent()).toContain("TextView.setText");
    expect(code.servers()).toHaveLength(1);
  });

  it("underlines calls and puts lenses above methods", async () => {
    await code.page.locator(".squiggly-error, .squiggly-warning").first().waitFor();
    const lens = code.page.locator(".codelens-decoration", { hasText: "could" }).first();
    await lens.waitFor();
    await code.picture("tasks");
    await code.command("View: Focus Problems");
    const problem = code.page.locator(".markers-panel .monaco-list-row", { hasText: "TextView.setText" }).first();
    await problem.waitFor();
    await code.picture("problems");
    await code.command("View: Toggle Panel Visibility");
  });

  it("goes from a task to the line that calls it", async () => {
    await tasks().filter({ hasText: "Handler.post" }).first().click();
    await code.page.locator(".tab.active", { hasText: "ElapsedTicker.java" }).waitFor();
    await tasks().filter({ hasText: "TextView.setText" }).first().click();
    const pick = code.page.locator(".quick-input-list .monaco-list-row").first();
    const tab = code.page.locator(".tab.active", { hasText: "TrackElapsedTimeView.java" });
    await pick.or(tab).first().waitFor();
    if (await pick.isVisible()) await pick.click();
    await tab.waitFor();
  });

  it("colours lines by heat when asked to", async () => {
    await code.command("Diffprof: Toggle the Heat Overlay");
    await expect
      .poll(() => code.page.evaluate(() => [...document.querySelectorAll(".view-overlays .cdr")].filter((e) => getComputedStyle(e).backgroundColor.startsWith("rgba") && getComputedStyle(e).borderLeftWidth === "3px").length), { timeout: 10_000 })
      .toBeGreaterThan(0);
    await code.picture("heat");
    await code.command("Diffprof: Toggle the Heat Overlay");
  });

  it("links a hover to the flask", async () => {
    await code.page.locator(".view-line span span", { hasText: /^setText$/ }).first().hover();
    const link = code.page.locator(".monaco-hover a", { hasText: "Show the flask" }).first();
    await link.waitFor();
    await code.picture("hover");
    await code.page.keyboard.press("Escape");
  });

  it("shows the flask of a task beside the source", async () => {
    await tasks().filter({ hasText: "TextView.setText" }).first().hover();
    await tasks().filter({ hasText: "TextView.setText" }).first().locator('.actions a[aria-label*="Flask"]').click();
    await code.webview().getByText("scheduleTraversals").first().waitFor();
    await code.picture("flask");
    await code.page.keyboard.press("Escape");
  });

  it("shows the whole run and the summary", async () => {
    await code.command("Diffprof: Show the Whole Run");
    await code.webview().locator("canvas, svg").first().waitFor();
    await code.picture("run");
    await code.command("Diffprof: Show the Summary");
    await code.webview().getByText("pandora-8.3").first().waitFor();
    await code.picture("summary");
    await code.command("View: Close Editor");
  });

  it("ignores a task, which is then gone", async () => {
    const row = tasks().filter({ hasText: "SQLiteCursor.getCount" }).first();
    await code.menu(row, "Ignore This Task");
    await expect.poll(() => tasks().filter({ hasText: "SQLiteCursor.getCount" }).count(), { timeout: 20_000 }).toBe(0);
    expect(readFileSync(join(code.workspace, "diffprof.yaml"), "utf8")).toContain("SQLiteCursor.getCount");
    await code.picture("ignored");
  });

  it("lists the pair among the runs", async () => {
    const run = code.page.locator('.pane:has([aria-label^="Runs"]) .monaco-list-row').first();
    await run.waitFor();
    expect(await run.textContent()).toContain("pandora-5.7.trace.gz ↔ pandora-8.3.trace");
  });

  it("restarts the server and compares again", async () => {
    const [before] = code.servers();
    await code.command("Diffprof: Restart the Language Server");
    await expect.poll(() => code.servers()[0] ?? before, { timeout: 20_000 }).not.toBe(before);
    await tasks().filter({ hasText: "TextView.setText" }).first().waitFor();
    expect(code.servers()).toHaveLength(1);
  });

  it("makes no errors in the console", () => {
    expect(code.errors).toEqual([]);
  });

  it("leaves no process behind when VS Code ends", async () => {
    await code.stop();
    await expect.poll(() => code.servers(), { timeout: 20_000 }).toEqual([]);
  });

  it("uninstalls cleanly", () => {
    code.cli("--uninstall-extension", "diffprof.diffprof");
    expect(code.cli("--list-extensions")).not.toContain("diffprof");
  });
});
