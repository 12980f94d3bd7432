// Special cases: untrusted folders, missing or incompatible programs, damaged traces,
// several roots, themes.

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Code, missing } from "./code.ts";

const why = missing();

describe.skipIf(why)(`VS Code in special cases${why && `: ${why}`}`, () => {
  const code = new Code("cases");

  // A program of another version. If it is started as a server, it leaves a file.
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

  it("starts no process in an untrusted folder, with a message, and starts one after the user trusts it", async () => {
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

  it("offers to choose a missing program, and uses the choice", async () => {
    await code.open(code.copySample("missing"), { "diffprof.server.path": "/nowhere/diffprof" });
    await code.toast("/nowhere/diffprof").waitFor();
    await code.show();
    await code.welcome("Choose the Program").waitFor();
    await code.picture("missing");
    await code.toast("/nowhere/diffprof").getByText("Choose the Program…").click();
    await code.choose(join(code.extension(), "bin/diffprof"), /^diffprof$/);
    await code.tasks("TextView.setText").first().waitFor();
    expect(code.servers()).toHaveLength(1);
  });

  it("rejects programs that are too old, too new or not diffprof, without starting them", async () => {
    const cases = [
      ["old", '{"version":"0.0.9"}', "version 0.0.9, too old"],
      ["new", '{"version":"7.0.0"}', "version 7.0.0, too new"],
      ["other", "GNU bash", "cannot be used"],
    ] as const;
    const folder = code.copySample("refused", { "diffprof.server.path": join(code.folder, "old-diffprof") });
    for (const [name, version, why] of cases) {
      const path = program(`${name}-diffprof`, version);
      if (name === "old") await code.open(folder);
      else code.set(folder, { "diffprof.server.path": path });
      await code.toast(why).waitFor();
      await code.picture(name);
      expect(existsSync(`${path}.served`)).toBe(false);
    }
  });

  it("starts a new server when the window is reloaded, and leaves none when it is closed", async () => {
    await code.open(code.copySample("window"));
    await code.show();
    await code.tasks("TextView.setText").first().waitFor();
    await code.command("Diffprof: Show the Whole Run");
    await code.webview().locator("canvas, svg").first().waitFor();
    const [before] = code.servers();
    await code.command("Developer: Reload Window");
    await expect.poll(() => code.servers().filter((p) => p !== before)).toHaveLength(1);
    await expect.poll(() => code.servers()).toHaveLength(1);
    await code.tasks("TextView.setText").first().waitFor();
    await code.webview().locator("canvas").first().waitFor();
    await code.tab("Diffprof: Whole run").waitFor();
    await code.picture("loaded-again");
    await code.page.goto("about:blank");
    await expect.poll(() => code.servers()).toEqual([]);
  });

  it("restarts a server that crashed, but not one that keeps crashing", async () => {
    await code.open(code.copySample("ending"));
    await code.show();
    await code.tasks("TextView.setText").first().waitFor();
    for (let n = 1; n <= 4; n++) {
      const [pid] = code.servers();
      process.kill(pid!, "SIGKILL");
      await expect.poll(() => code.servers()).not.toContain(pid);
      if (n < 4) await expect.poll(() => code.servers()).toHaveLength(1);
    }
    await code.toast("crashed four times").waitFor();
    await code.welcome("keeps crashing").waitFor();
    await expect.poll(() => code.servers()).toEqual([]);
    await code.page.locator(".welcome-view-content .monaco-button", { hasText: "Try Again" }).click();
    await code.tasks("TextView.setText").first().waitFor();
    expect(code.servers()).toHaveLength(1);
  });

  it("ignores a task whose callers are not in the workspace", async () => {
    const path = code.copySample("no-sources");
    rmSync(join(path, "app"), { recursive: true });
    await code.open(path);
    await code.show();
    const row = code.tasks("TextView.setText");
    await code.menu(row.first(), "Ignore This Task");
    await expect.poll(() => row.count()).toBe(0);
    // The server uses the text in the editor. The edit is saved afterwards.
    await expect.poll(() => readFileSync(join(path, "diffprof.yaml"), "utf8")).toMatch(/ignore:\n.*TextView\.setText/);
    await code.toast("is ignored").getByText("Add a Reason").click();
    await code.tab("diffprof.yaml").waitFor();
    await code.picture("ignored");
  });

  it("compares a trace of the explorer with another, and shows the error of a damaged one", async () => {
    const path = code.copySample("explorer");
    rmSync(join(path, "diffprof.yaml"));
    writeFileSync(join(path, "traces/damaged.trace"), "*version\n3\nnot a trace\n");
    await code.open(path);
    await code.openFile("traces");
    await code.menu(code.file("pandora-5.7.trace.gz"), "Compare This Run with…");
    await code.pick("damaged.trace");
    await code.failed("damaged.trace");
    await code.picture("damaged");
    await code.show();
    await code.tasks("Choose Another Trace").click();
    await code.pick("pandora-5.7");
    await code.pick("pandora-8.3");
    await code.tasks("TextView.setText").first().waitFor();
    await code.compared();
    await expect.poll(() => code.runs().first().textContent()).toMatch(/pandora-5\.7 ↔ pandora-8\.3.*\d+ findings? · just now/);
  });

  it("opens a trace by a click as a single run, with a button to compare it", async () => {
    const path = code.copySample("viewer");
    rmSync(join(path, "diffprof.yaml"));
    writeFileSync(join(path, "traces/damaged.trace"), "*version\n3\nnot a trace\n");
    await code.open(path);
    await code.openFile("traces");
    await code.openFile("damaged.trace");
    await code.webview().getByText("damaged.trace").first().waitFor();
    await code.picture("viewer-damaged");
    await code.openFile("pandora-5.7.trace.gz");
    await code.tab("pandora-5.7.trace.gz").waitFor();
    await code.webview().locator("section.energy").waitFor();
    await code.picture("viewer");
    await code.page.locator('.editor-actions a[aria-label^="Compare This Run with"]').click();
    await code.pick("pandora-8.3");
    await code.tasks("TextView.setText").first().waitFor();
  });

  it("compares two selected traces, after the choice of the subject", async () => {
    const path = code.copySample("selected");
    rmSync(join(path, "diffprof.yaml"));
    const [older, newer] = [new Date("2024-01-01T00:00:00Z"), new Date("2025-01-01T00:00:00Z")];
    utimesSync(join(path, "traces/pandora-5.7.trace.gz"), newer, newer);
    utimesSync(join(path, "traces/pandora-8.3.trace"), older, older);
    await code.open(path);
    await code.openFile("traces");
    await code.file("pandora-8.3.trace").click();
    // The click opens the run, and the run takes the focus. Select the second file only after that.
    await code.webview().locator("section.energy").waitFor();
    await code.file("pandora-5.7.trace.gz").click({ modifiers: ["ControlOrMeta"] });
    await code.menu(code.file("pandora-8.3.trace"), "Compare These Two Runs…");
    const rows = code.page.locator(".quick-input-list .monaco-list-row");
    await rows.first().waitFor();
    await code.picture("two-selected");
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringMatching(/^pandora-5\.7.*compared with pandora-8\.3/), expect.stringMatching(/^pandora-8\.3.*compared with pandora-5\.7/)]);
    await code.pick(/^pandora-5.7/);
    // The command shows the tasks itself. A click on their icon would hide them again.
    await code.tasks("TextView.setText").first().waitFor();
    await expect.poll(() => code.runs().first().textContent()).toMatch(/pandora-5\.7 ↔ pandora-8\.3.*\d+ findings? · just now/);
    // The click opened the trace. The comparison takes its place.
    await code.tab("Diffprof: Tasks").waitFor();
    await code.picture("two-compared");
  });

  it("shows why the traces of a project are not compared, with remedies, from the start", async () => {
    const path = code.copySample("failing");
    const project = join(path, "diffprof.yaml");
    const good = readFileSync(project, "utf8");
    writeFileSync(project, good.replace("traces/pandora-5.7.trace.gz", "traces/nothere.trace"));
    await code.open(path);
    await code.show();
    await code.failed("nothere.trace");
    await code.picture("missing-trace");
    expect(await code.welcome("Compare a trace of your app").isVisible()).toBe(false);
    await code.tasks("Open diffprof.yaml").click();
    await code.tab("diffprof.yaml").waitFor();
    await code.tasks("Show the Log").click();
    await code.page.locator(".part.panel .view-line", { hasText: "nothere" }).first().waitFor();
    await code.command("View: Toggle Panel Visibility");
    writeFileSync(project, good);
    await code.tasks("TextView.setText").first().waitFor();
    await code.compared();
    // The previous comparison stays, with a message.
    writeFileSync(project, good.replace("traces/pandora-8.3.trace", "traces/gone.trace"));
    await code.failed("gone.trace");
    await code.page.locator(".message", { hasText: "the previous comparison" }).waitFor();
    await code.tasks("TextView.setText").first().waitFor();
    await code.picture("failed-later");
    writeFileSync(project, good);
    await code.compared();
  });

  it("shows the error in diffprof.yaml that prevents a comparison", async () => {
    const path = code.copySample("syntax");
    const project = join(path, "diffprof.yaml");
    const good = readFileSync(project, "utf8");
    writeFileSync(project, good.replace("subject: ", "subject: [ "));
    await code.open(path);
    await code.show();
    await code.failed("diffprof.yaml, line");
    await code.picture("syntax");
    expect(await code.welcome("Compare a trace of your app").isVisible()).toBe(false);
    await code.tasks("Open diffprof.yaml").click();
    await code.tab("diffprof.yaml").waitFor();
    writeFileSync(project, good);
    await code.tasks("TextView.setText").first().waitFor();
    await code.compared();
  });

  it("chooses between the pairs of diffprof.yaml", async () => {
    const path = code.copySample("pairs");
    const project = join(path, "diffprof.yaml");
    const back = "pairs:\n  back:\n    subject: traces/pandora-8.3.trace\n    reference: traces/pandora-5.7.trace.gz\n";
    writeFileSync(project, readFileSync(project, "utf8") + back);
    await code.open(path);
    await code.show();
    await code.tasks("TextView.setText").first().waitFor();
    await code.command("Diffprof: Choose a Pair of diffprof.yaml");
    await code.page.locator(".quick-input-list .monaco-list-row", { hasText: "current" }).waitFor();
    await code.picture("pairs");
    await code.pick(/^back/);
    await expect.poll(() => code.runs().first().textContent()).toContain("pandora-8.3 ↔ pandora-5.7");
  });

  it("marks tasks with a likely counterpart, and calls them no saving", async () => {
    const path = join(code.folder, "perhaps");
    cpSync(join(import.meta.dirname, "../../testdata/cases/spotify-pandora83"), path, { recursive: true });
    writeFileSync(join(path, "diffprof.yaml"), "subject: subject.trace.gz\nreference: reference.trace.gz\n");
    await code.open(path);
    await code.show();
    // Findings come first, so the row is further down. The list draws only the rows that are in view.
    await code.tasks("setProgress").first().waitFor();
    const row = code.page.locator('.pane:has([aria-label^="Tasks"]) .monaco-list-row[aria-label*=", perhaps, "]').first();
    await code.scrollTo(row);
    await expect.poll(() => code.sign(row)).toBe("perhaps");
    await expect.poll(() => row.getAttribute("aria-label")).toMatch(/, perhaps, similar .*, it may have a counterpart, called in /);
    await code.page.locator(".statusbar-item", { hasText: /finding/ }).and(code.page.locator('[aria-label*=" more perhaps"]')).waitFor();
    await code.picture("perhaps");
  });

  it("shows a fleet's finding at the suspect call, with the reason", async () => {
    const path = join(code.folder, "fleet");
    mkdirSync(join(path, "src"), { recursive: true });
    const calls = ["resolver.query();", "socket.connect();"];
    const lines = ["package com.app;", "", "public class Main {", "    public void onCreate() {", ...calls.map((c) => `        ${c}`), "    }", "}", ""];
    writeFileSync(join(path, "src/Main.java"), lines.join("\n"));
    const from = "android.app.Activity.performCreate()V;com.app.Main.onCreate()V;";
    writeFileSync(join(path, "new.folded"), `${from}android.content.ContentResolver.query()V 4000000\n${from}java.net.Socket.connect()V 2000000\nandroid.os.Looper.loop()V 123001\n`);
    // More different amounts, so that the server does not treat the values as counts of samples.
    writeFileSync(join(path, "old.folded"), `${from}java.net.Socket.connect()V 500000\nandroid.os.Looper.loop()V 123001\nandroid.os.Looper.loop()V;android.os.Handler.post()V 77003\n`);
    const diffprof = (...args: string[]) => execFileSync(join(code.extension(), "bin/diffprof"), args, { cwd: path, stdio: "pipe" });
    const small = ["--clients", "100", "--apps", "60", "--hogs", "4", "--innocent", "8", "--bugs", "0", "--days", "5"];
    diffprof("fleet", "simulate", ...small, "--name", "com.app", "--mobile", "-o", "samples.csv");
    diffprof("fleet", "analyze", "samples.csv", "-o", "fleet.dp");
    writeFileSync(join(path, "diffprof.yaml"), "subject: new.folded\nreference: old.folded\nfoldedUnit: nJ\nfleet: fleet.dp\n");
    await code.open(path);
    await code.openFile("src/Main.java");
    const lens = code.page.locator(".codelens-decoration", { hasText: "fleet: " });
    await lens.getByText(/^fleet: .* per charge, \d+ devices, network mobile$/).waitFor();
    await expect.poll(async () => {
      const [above, call] = [await lens.boundingBox(), await code.page.locator(".view-line", { hasText: "socket.connect" }).boundingBox()];
      return above && call && Math.abs(above.y + above.height - call.y) / call.height;
    }).toBeLessThan(0.5);
    await code.show();
    await expect.poll(() => code.tasks().first().getAttribute("aria-label")).toMatch(/^Socket\.connect, costs more[^,]*, suspect, /);
    const spans = code.page.locator(".view-line > span");
    await code.picture("fleet-lens", code.page.locator(".margin-view-overlays .line-numbers").first(), spans.getByText("package"), lens, spans.getByText("socket.connect"), code.page.locator(".margin-view-overlays .line-numbers").last());
    const hover = code.page.locator(".monaco-hover", { hasText: "Suspect: it uses cellular in java.net.Socket.connect; in the fleet com.app costs " });
    await code.hover(code.page.locator(".view-line span span", { hasText: /^connect$/ }), hover);
    await code.picture("fleet");
  });

  it("colours source lines by their own energy, with figures and a hover", async () => {
    const path = join(code.folder, "lines");
    cpSync(join(import.meta.dirname, "../../testdata/lines"), path, { recursive: true });
    // The recordings are newer than the sources, so the lines have not moved.
    const later = new Date(Date.now() + 60_000);
    for (const name of ["subject.pprof", "reference.pprof"]) utimesSync(join(path, name), later, later);
    await code.open(path, { "diffprof.lineHeat": true, "explorer.compactFolders": false, "workbench.colorTheme": "Default Dark Modern" }, { width: 1440, height: 1200 });
    await code.openFile("src/com/example/notes/Search.java");
    const hot = code.page.locator(".view-line", { hasText: "Math.min(edits" });
    await hot.getByText("1.67 ±0.2 J").waitFor();
    // One of them calls a task.
    const coloured = ["titles", "Search(List", "for (Note note", "for (String word", "for (int i = 1", "for (int j = 1", "int change", "edits[i][j] ="];
    const found = async () => (await code.heat()).map((h) => coloured.findIndex((text) => h.text.replace(/\s/g, " ").includes(text))).sort();
    await expect.poll(found).toEqual(coloured.map((_, i) => i));
    await code.picture("lines");
    // A line with too few samples has a mark and no figure.
    expect(await code.page.locator(".view-line", { hasText: "for (Note note" }).textContent()).not.toContain("±");
    await code.hover(hot.locator("span span", { hasText: "Math" }).first(), code.page.locator(".monaco-hover", { hasText: "50.7% of the run, 940 samples" }).first());
    await code.picture("lines-hover");
    await code.page.keyboard.press("Escape");
    await code.command("Diffprof: Toggle the Heat Overlay");
    await expect.poll(() => code.heat()).toEqual([]);
    await code.command("Diffprof: Toggle the Heat Overlay");
    await expect.poll(() => code.heat()).toHaveLength(8);
    // The file is newer than an older recording.
    const before = new Date("2001-01-01T00:00:00Z");
    utimesSync(join(path, "subject.pprof"), before, before);
    await hot.getByText("1.67 ±0.2 J · source changed").waitFor();
  });

  it("hatches the lines that a meter did not determine", async () => {
    const path = join(code.folder, "metered");
    const metered = join(import.meta.dirname, "../../lines/metered/testdata");
    cpSync(join(metered, "com"), join(path, "src/com"), { recursive: true });
    for (const name of ["simulated.calls", "simulated.csv"]) cpSync(join(metered, name), join(path, name));
    utimesSync(join(path, "src/com/mine/Sim.java"), new Date("2010-01-01"), new Date("2010-01-01"));
    writeFileSync(join(path, "diffprof.yaml"), "subject: simulated.calls\nreference: simulated.calls\nwithSubject: [simulated.csv]\nminShare: 0.0001\n");
    await code.open(path, { "diffprof.lineHeat": true, "explorer.compactFolders": false }, { width: 1440, height: 900 });
    await code.openFile("src/com/mine/Sim.java");
    await code.page.locator(".view-line", { hasText: /±.*×/ }).first().waitFor();
    await expect.poll(() => code.hatched()).toBeGreaterThan(3);
    await code.picture("hatched");
  });

  it("calls nothing a saving if the runs have little in common", async () => {
    const path = join(code.folder, "unlike");
    mkdirSync(path);
    const stacks = (task: (n: number) => string) => Array.from({ length: 12 }, (_, n) => `com.mine.App.run;${task(n)} ${100 + n}\n`).join("");
    writeFileSync(join(path, "mine.folded"), stacks((n) => `android.os.A${n}.go`));
    writeFileSync(join(path, "theirs.folded"), (stacks((n) => `android.net.B${n}.stop`) + "com.mine.App.run;android.os.A0.go 50\n").replaceAll("com.mine.App", "org.theirs.Other"));
    writeFileSync(join(path, "diffprof.yaml"), "subject: mine.folded\nreference: theirs.folded\nfoldedUnit: nJ\n");
    await code.open(path);
    await code.show();
    const row = code.tasks("A11.go").first();
    await row.waitFor();
    await expect.poll(() => code.sign(row)).toBe("only");
    await expect.poll(() => row.getAttribute("aria-label")).toMatch(/^A11\.go, only here, A11\.go uses .*, these runs have little in common, called in /);
    await code.page.locator(".statusbar-item", { hasText: "no findings" }).and(code.page.locator('[aria-label*="no difference is called a saving"]')).waitFor();
    await code.picture("unlike");
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
    await code.openTask("Handler.post", "ElapsedTicker.java");
    await code.picture("two-roots");
    expect(code.servers()).toHaveLength(1);
  });

  it("leads through its sample app", async () => {
    await code.open("");
    await code.command("Diffprof: Get Started");
    const guide = code.page.locator(".gettingStartedContainer");
    await guide.getByText("Find out where your app wastes energy").first().waitFor();
    for (const [step, shown] of [["Compare two traces", "compare it with"], ["Record your own app", "adb shell am profile start"]] as const) {
      await guide.locator(".step-title", { hasText: step }).first().click();
      await code.guide().getByText(shown).first().waitFor();
      await code.picture("walkthrough");
    }
    for (const [step, picture] of [["Read the tasks", "tasks-light.png"], ["See why", "flask-light.png"]] as const) {
      await guide.locator(".step-title", { hasText: step }).first().click();
      const image = guide.locator(`img[srcset*="${picture}"]`);
      await image.waitFor();
      expect(await image.evaluate((i: HTMLImageElement) => i.decode().then(() => i.naturalWidth))).toBeGreaterThan(0);
      await code.picture("walkthrough");
    }
    await guide.locator(".monaco-button", { hasText: "Show the Flask" }).first().click();
    await code.toast("no comparison yet").waitFor();
    await guide.locator(".codicon-getting-started-step-checked").first().waitFor();
    await guide.locator(".step-title", { hasText: "Open the sample app" }).first().click();
    await code.picture("walkthrough");
    await guide.locator(".monaco-button", { hasText: "Open the Sample App" }).first().click();
    await code.opened();
    await code.tasks("TextView.setText").first().waitFor();
    await code.flask();
    await code.page.locator(".tab", { hasText: "README.md" }).waitFor();
    await code.page.locator(".tab", { hasText: "Walkthrough" }).waitFor();
    await code.picture("sample-opened");
  });
});
