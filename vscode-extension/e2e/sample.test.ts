// The first steps with the sample app: install, compare, look, ignore, restart, uninstall.
// Each step depends on the previous ones.

import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Code, missing } from "./code.ts";

const why = missing();
const worst = "app/src/main/java/com/pandora/android/view/TrackElapsedTimeView.java";

describe.skipIf(why)(`VS Code and the sample app${why && `: ${why}`}`, () => {
  const code = new Code("sample");
  const settings = { "diffprof.unit": "uAh", "diffprof.powerProfile": "traces/power_profile.xml" };
  let workspace = "";

  // The guide has pictures for light and dark themes.
  async function inBothThemes(take: (theme: string) => Promise<void>): Promise<void> {
    for (const [theme, name, style] of [["dark", "Default Dark Modern", "vs-dark"], ["light", "Default Light Modern", "vs"]] as const) {
      code.set(workspace, { ...settings, "workbench.colorTheme": name });
      await code.page.locator(`.monaco-workbench.${style}`).waitFor();
      await take(theme);
    }
  }

  beforeAll(async () => {
    await code.start();
    workspace = code.copySample("workspace", settings);
    rmSync(join(workspace, "diffprof.yaml"));
    await code.open(workspace, { "editor.fontSize": 13, "explorer.compactFolders": false }, { width: 1440, height: 860 });
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await code.picture("failed");
  });

  afterAll(() => code.remove());

  const written = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");

  it("starts no process before a comparison", async () => {
    await code.openFile(worst);
    await code.page.locator(".monaco-editor .view-line", { hasText: "class" }).first().waitFor();
    await code.show();
    await code.welcome("Compare a trace of your app").waitFor();
    await code.picture("empty");
    expect(code.servers()).toEqual([]);
  });

  it("compares two traces of the workspace", async () => {
    await code.command("Diffprof: Compare Two Traces…");
    await code.page.locator(".quick-input-list .monaco-list-row", { hasText: "pandora-5.7" }).waitFor();
    await code.picture("pick-subject");
    await code.pick("pandora-5.7");
    await code.page.locator(".quick-input-title", { hasText: "2 of 2" }).waitFor();
    await code.pick("pandora-8.3");
    await code.tasks("TextView.setText").waitFor();
    await code.page.locator(".statusbar-item", { hasText: /\d+ findings?/ }).waitFor();
    await expect.poll(() => code.tasks().first().textContent()).toContain("TextView.setText");
    expect(code.servers()).toHaveLength(1);
  });

  it("underlines calls and puts lenses above methods", async () => {
    await code.page.locator(".squiggly-error, .squiggly-warning").first().waitFor();
    await code.page.locator(".codelens-decoration", { hasText: "could" }).first().waitFor();
    await expect.poll(() => code.toast("").count()).toBe(0);
    await code.picture("tasks");
    const line = (text: string) => code.page.locator(".view-line > span", { hasText: text });
    await inBothThemes((theme) =>
      code.picture(`guide-tasks-${theme}`, code.page.locator(".pane-header", { hasText: "Tasks" }), code.tasks("Outside tasks"), line("remainingText.setText")),
    );
    await code.command("View: Focus Problems");
    await code.page.locator(".markers-panel .monaco-list-row", { hasText: "TextView.setText" }).first().waitFor();
    await code.picture("problems");
    await code.command("View: Toggle Panel Visibility");
  });

  it("goes from a task to the line that calls it, then to the next line", async () => {
    await code.openTask("Handler.post", "ElapsedTicker.java");
    const place = (n: number) => code.page.locator(".statusbar-item", { hasText: `place ${n} of 2` });
    for (const n of [1, 2, 1]) {
      await code.tasks("TextView.setText").first().click();
      await code.tab("TrackElapsedTimeView.java").waitFor();
      await place(n).waitFor();
    }
    await code.menu(code.tasks("TextView.setText").first(), "Peek All Places");
    await code.page.locator(".peekview-widget", { hasText: "TrackElapsedTimeView.java" }).waitFor();
    await code.picture("peek");
    await code.page.keyboard.press("Escape");
  });

  it("filters, sorts and groups the tasks, and shows all again", async () => {
    await code.command("Diffprof: Filter Tasks…");
    const input = code.page.locator(".quick-input-widget input[placeholder^=letters]");
    await input.fill("cursor");
    await input.press("Enter");
    // Two tasks, under the heading of the tasks that are no findings.
    await expect.poll(() => code.tasks().count()).toBe(3);
    await code.command("Diffprof: Show All Tasks");
    await code.tasks("TextView.setText").first().waitFor();
    await code.command("Diffprof: Only My Code");
    await expect.poll(() => code.tasks("Outside tasks").count()).toBe(0);
    await code.tasks("TextView.setText").first().waitFor();
    await code.command("Diffprof: My Code and Libraries");
    await code.tasks("Outside tasks").click();
    await code.tasks("the system's own work").waitFor();
    await code.tasks("the app's own code").waitFor();
    await code.command("Diffprof: Sort Tasks…");
    await code.pick("Name");
    await expect.poll(() => code.tasks().first().textContent()).toContain("Activity.findViewById");
    await code.tasks("by itself").first().waitFor();
    await code.picture("by-name");
    await code.command("Diffprof: Group Tasks…");
    await code.pick(/^Package/);
    await code.tasks("com.pandora.android.view").waitFor();
    await code.picture("by-package");
    await code.command("Diffprof: Group Tasks…");
    await code.pick("No Groups");
    await code.command("Diffprof: Sort Tasks…");
    await code.pick("Saving");
    await expect.poll(() => code.tasks().first().textContent()).toContain("TextView.setText");
  });

  it("colours lines by heat on request", async () => {
    await code.command("Diffprof: Toggle the Heat Overlay");
    await expect.poll(() => code.heat()).toHaveLength(1);
    await code.picture("heat");
    await code.command("Diffprof: Toggle the Heat Overlay");
    await expect.poll(() => code.heat()).toEqual([]);
  });

  it("turns diagnostics and hints off and on", async () => {
    const [squiggle, hint] = [code.page.locator(".squiggly-warning"), code.page.locator(".view-line", { hasText: "µAh at 2" })];
    for (const [command, shown] of [["Diffprof: Toggle Diagnostics", squiggle], ["Diffprof: Toggle Inlay Hints", hint]] as const) {
      await shown.first().waitFor();
      await code.command(command);
      await expect.poll(() => shown.count()).toBe(0);
      await code.command(command);
      await shown.first().waitFor();
    }
  });

  it("links a hover to the flask", async () => {
    await code.hover(code.page.locator(".view-line span span", { hasText: /^setText$/ }).first(), code.page.locator(".monaco-hover a", { hasText: "Show the flask" }).first());
    await code.picture("hover");
    await code.page.keyboard.press("Escape");
  });

  it("shows the flask of a task next to the source", async () => {
    const row = code.tasks("TextView.setText").first();
    await row.hover();
    await row.locator('.actions a[aria-label*="Flask"]').click();
    await code.flask();
    await code.picture("flask");
    await inBothThemes((theme) => code.picture(`guide-flask-${theme}`, code.webview().locator(".headline"), code.webview().locator(".outline")));
  });

  it("shows the whole run and the summary", async () => {
    await code.command("Diffprof: Show the Whole Run");
    await code.webview().locator("canvas").first().waitFor();
    await code.picture("run");
    await code.command("Diffprof: Show the Summary");
    await code.webview().getByText("How much is matched").first().waitFor();
    await code.picture("summary");
    await code.command("View: Close Editor");
  });

  it("writes a page to share", async () => {
    await code.command("Diffprof: Write a Report…");
    await code.page.locator(".quick-input-title", { hasText: "Write a report" }).waitFor();
    await code.page.locator(".quick-input-widget .monaco-button", { hasText: "OK" }).click();
    await code.toast("diffprof-report.html is written").waitFor();
    expect(readFileSync(join(workspace, "diffprof-report.html"), "utf8")).toMatch(/^<!doctype html>/);
  });

  it("lists the packages with their owners, without unsaved text", async () => {
    await code.command("Diffprof: List Packages");
    await code.tab("Packages").waitFor();
    await code.page.locator(".view-line", { hasText: /android\.view.*framework/ }).first().waitFor();
    await code.picture("packages");
    expect(await code.page.locator(".tab.dirty").count()).toBe(0);
    await code.command("View: Close Editor");
  });

  it("lists its settings and the server's", async () => {
    await code.command("Preferences: Open Settings (UI)");
    await code.page.locator(".settings-header .monaco-editor").click();
    await code.page.locator(".settings-header .monaco-editor.focused").waitFor();
    await code.page.keyboard.type("@ext:diffprof.diffprof ");
    const settings = code.page.locator(".settings-editor .setting-item-label");
    await settings.getByText("Subject", { exact: true }).waitFor();
    await code.picture("settings");
    await code.page.keyboard.type("heat");
    await settings.getByText("Line Heat", { exact: true }).waitFor();
    await code.command("View: Close Editor");
  });

  it("shows amounts in the unit of the settings, in the web view too", async () => {
    // The cursor is in the line of the call, so no picker opens.
    await code.tab("TrackElapsedTimeView.java").waitFor();
    await code.page.locator(".statusbar-item", { hasText: /Ln (?!1,)/ }).waitFor();
    await code.command("Diffprof: Show the Flask");
    await code.flask();
    await code.webview().locator(".headline h2", { hasText: "TextView.setText" }).waitFor();
    expect(await code.page.locator(".quick-input-widget:visible").count()).toBe(0);
    await code.webview().getByText(/^43\.6$/).first().waitFor();
    code.set(workspace, { ...settings, "diffprof.unit": "mJ" });
    await code.webview().getByText(/^581$/).first().waitFor();
    await code.page.locator(".codelens-decoration", { hasText: "mJ" }).first().waitFor();
    await code.command("View: Close Editor");
  });

  it("ignores a task, which disappears", async () => {
    const row = code.tasks("Handler.post");
    await code.menu(row.first(), "Ignore This Task");
    await expect.poll(() => row.count()).toBe(0);
    await expect.poll(() => written(join(workspace, "diffprof.yaml"))).toContain("Handler.post");
    await code.picture("ignored");
  });

  it("lists the pair among the runs", async () => {
    await expect.poll(() => code.runs().first().textContent()).toMatch(/pandora-5\.7 ↔ pandora-8\.3.*\d+ findings? · /);
  });

  it("restarts the server and compares again", async () => {
    const [before] = code.servers();
    await code.command("Diffprof: Restart the Language Server");
    await expect.poll(() => code.servers().filter((p) => p !== before)).toHaveLength(1);
    await code.tasks("TextView.setText").first().waitFor();
    await expect.poll(() => code.servers()).toHaveLength(1);
  });

  it("makes no errors in the console", () => {
    expect(code.errors).toEqual([]);
  });

  it("leaves no process behind when VS Code ends", async () => {
    await code.quit();
    await expect.poll(() => code.servers()).toEqual([]);
  });

  it("uninstalls cleanly", () => {
    const known = () => readFileSync(join(code.folder, "extensions/extensions.json"), "utf8");
    expect(known()).toContain("diffprof");
    code.cli("--uninstall-extension", "diffprof.diffprof");
    expect(known()).not.toContain("diffprof");
    expect(code.servers()).toEqual([]);
    // The folder has only the requested file.
    expect(readdirSync(workspace).sort()).toEqual([".vscode", "README.md", "app", "diffprof-report.html", "diffprof.yaml", "traces"]);
  });
});
