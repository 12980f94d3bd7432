// A VS Code in a browser: code-server with its own folders, and a page.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type FrameLocator, type Locator, type Page } from "playwright-core";

const vsix = process.env["VSIX"] ?? "";
const codeServer = process.env["CODE_SERVER"] ?? "";
const pictures = process.env["SCREENSHOTS"] ?? "";
const entry = join(codeServer, "node_modules/code-server/out/node/entry.js");

/** missing is the missing requirement of these tests; empty if they can run. */
export function missing(): string {
  if (process.platform !== "linux") return "processes are looked up as on Linux";
  if (!browserPath()) return "no Chromium";
  if (!codeServer || !existsSync(join(codeServer, "complete"))) return "no VS Code that runs in a browser";
  return vsix && existsSync(vsix) ? "" : "no .vsix";
}

/** browserPath finds a Chromium: the variable CHROMIUM, or else the first on PATH. */
function browserPath(): string {
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const onPath = (process.env["PATH"] ?? "").split(delimiter).flatMap((f) => names.map((n) => join(f, n)));
  return [process.env["CHROMIUM"] ?? "", ...onPath].find((p) => p !== "" && runs(p)) ?? "";
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type Settings = Record<string, unknown>;

// Settings without distractions: the palette stays open if a webview takes the focus, and
// folders are trusted unless a test overrides that.
const quiet: Settings = {
  "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "git.enabled": false, "extensions.ignoreRecommendations": true,
  "workbench.tips.enabled": false, "window.commandCenter": false, "workbench.quickOpen.closeOnFocusLost": false,
  "security.workspace.trust.enabled": false, "security.workspace.trust.startupPrompt": "never",
};

export class Code {
  readonly folder = mkdtempSync(join(tmpdir(), "code-"));
  private leash: ChildProcess | null = null;
  private browser: Browser | null = null;
  private address = "";
  page!: Page;
  /** the errors of the page that concern the extension */
  readonly errors: string[] = [];
  private shots = 0;

  /** name begins the names of pictures. */
  constructor(private readonly name: string) {}

  /** start installs the package, and starts VS Code and a browser. */
  async start(): Promise<void> {
    this.cli("--install-extension", vsix);
    const args = [
      join(import.meta.dirname, "leash.mjs"), process.execPath, entry, "--auth", "none", "--bind-addr", "127.0.0.1:0", ...this.folders(),
      "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override",
    ];
    const leash = spawn(process.execPath, args, { env: this.env(), stdio: ["ignore", "pipe", "pipe", "ipc"], detached: true });
    this.leash = leash;
    this.address = await new Promise<string>((resolve, reject) => {
      let log = "";
      for (const out of [leash.stdout!, leash.stderr!])
        out.on("data", (d: Buffer) => {
          log += d;
          const said = /HTTP server listening on (http:\S+?)\/?\s/.exec(log);
          if (said) resolve(said[1]!);
        });
      leash.once("message", () => reject(new Error(`code-server ended:\n${log}`)));
      leash.once("exit", () => reject(new Error(`code-server was ended:\n${log}`)));
    });
    this.browser = await chromium.launch({
      executablePath: browserPath(),
      env: this.env(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
  }

  /** quit ends VS Code in an orderly way. */
  async quit(): Promise<void> {
    await new Promise((resolve) => this.leash!.once("message", resolve).send("quit"));
  }

  /** remove ends all processes and removes all files. */
  async remove(): Promise<void> {
    await this.browser?.close();
    const leash = this.leash;
    if (leash && leash.exitCode === null && leash.signalCode === null) {
      const over = new Promise((resolve) => leash.once("exit", resolve));
      leash.disconnect();
      await over;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** cli runs code-server's command line on this VS Code's folders. */
  cli(...args: string[]): string {
    return execFileSync(process.execPath, [entry, ...this.folders(), ...args], { encoding: "utf8", env: this.env(), stdio: ["ignore", "pipe", "pipe"] });
  }

  /** copySample makes a folder of the sample app, with source older than the recording. */
  copySample(name: string, settings?: Settings): string {
    const to = join(this.folder, name);
    cpSync(join(this.extension(), "sample"), to, { recursive: true });
    const written = new Date("2010-01-01T00:00:00Z");
    for (const e of readdirSync(to, { recursive: true, withFileTypes: true })) {
      if (e.isFile() && e.name.endsWith(".java")) utimesSync(join(e.parentPath, e.name), written, written);
    }
    if (settings) this.set(to, settings);
    return to;
  }

  /** extension is the folder of the installed extension. */
  extension(): string {
    const folder = join(this.folder, "extensions");
    const name = readdirSync(folder).find((n) => n.startsWith("diffprof."));
    if (!name) throw new Error("the extension is not installed");
    return join(folder, name);
  }

  /** set writes a folder's settings. */
  set(path: string, settings: Settings): void {
    mkdirSync(join(path, ".vscode"), { recursive: true });
    writeFileSync(join(path, ".vscode/settings.json"), JSON.stringify(settings));
  }

  /** open opens a folder, a workspace file or, without a path, an empty window, in a fresh browser. */
  async open(path: string, settings: Settings = {}, size = { width: 1280, height: 800 }): Promise<void> {
    mkdirSync(join(this.folder, "data/User"), { recursive: true });
    writeFileSync(join(this.folder, "data/User/settings.json"), JSON.stringify({ ...quiet, ...settings }));
    rmSync(join(this.folder, "data/Machine/settings.json"), { force: true });
    const context = await this.browser!.newContext({ viewport: size, permissions: ["clipboard-read", "clipboard-write"] });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(120_000); // a busy machine
    this.page.on("pageerror", (e) => this.errors.push(e.message));
    this.page.on("console", (m) => {
      if (m.type() === "error" && /diffprof|Content Security Policy/i.test(m.text())) this.errors.push(m.text());
    });
    const kind = path.endsWith(".code-workspace") ? "workspace" : "folder";
    await this.page.goto(`${this.address}/?${path ? `${kind}=${encodeURIComponent(path)}` : "ew=true"}`);
    if (path) await this.opened();
    await this.icon().waitFor();
  }

  /** opened waits until the page has opened its folder. */
  async opened(): Promise<void> {
    const file = this.page.locator(".explorer-folders-view .monaco-list-row").first();
    const none = this.page.locator(".welcome-view-content", { hasText: "not yet added a folder" });
    // A workspace of several folders is sometimes empty until it is reloaded, and so is a page
    // whose connection broke while it was loading.
    await retry(async () => {
      const drawn = await file.or(none).first().waitFor({ timeout: 50_000 }).then(() => true, () => false);
      if (drawn && (await file.isVisible())) return;
      await this.page.reload();
      throw new Error("the workspace has no folder");
    }, 4);
  }

  /** close closes the page like a user, and its browser context. */
  async close(): Promise<void> {
    const context = this.page.context();
    await this.page.goto("about:blank");
    await context.close();
  }

  /** command runs a command by its name in the palette. */
  async command(name: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
    // A palette that opened before the registration of an extension's commands does not
    // show them: close it and open it again.
    await retry(async () => {
      if (await input.isVisible()) await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("F1");
      await input.fill(`>${name}`, { timeout: 5000 });
      await row.click({ timeout: 5000 });
    });
    // Move the pointer away: an element under the palette would show its tooltip.
    await this.page.mouse.move(0, 0);
  }

  /** pick picks a row of the picker that is open, or about to open. */
  async pick(text: string | RegExp): Promise<void> {
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first().click();
  }

  /** choose types into the open picker, and picks a matching row. */
  async choose(typed: string, text: string | RegExp): Promise<void> {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
    // A file dialog fills its box itself once it has read its folder.
    await retry(async () => {
      await input.fill("", { timeout: 5000 });
      await input.fill(typed, { timeout: 5000 });
      await row.click({ timeout: 5000 });
    });
  }

  /** menu picks from the context menu of a place. */
  async menu(at: Locator, name: string): Promise<void> {
    const open = this.page.locator(".context-view-block");
    const item = this.page.locator(".context-view .action-item", { hasText: name });
    // A menu shows the state at the time when it opened.
    await retry(async () => {
      if (await open.isVisible()) await this.page.keyboard.press("Escape");
      await at.click({ button: "right", timeout: 5000 });
      await item.waitFor({ timeout: 5000 });
    });
    // It ignores clicks right after it has opened. It disappears when it accepts a click.
    await retry(async () => {
      if (!(await item.isVisible())) return;
      await item.click({ timeout: 5000 });
      await item.waitFor({ state: "hidden", timeout: 5000 });
    });
  }

  /** openFile opens a file in the explorer, or unfolds a folder. */
  async openFile(path: string): Promise<void> {
    for (const part of path.split("/")) {
      const row = this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${part}"]`).first();
      await row.waitFor();
      if ((await row.getAttribute("aria-expanded")) !== "true") await row.click();
    }
  }

  /** show opens Diffprof's views by their icon, unless they are open: the icon closes them, too. */
  async show(): Promise<void> {
    if (!(await this.page.locator('.pane:has([aria-label^="Tasks"])').isVisible())) await this.icon().click();
  }

  /** openTask clicks a task until a file is open. A click on a row that the view replaces meanwhile opens nothing. */
  async openTask(task: string, file: string): Promise<void> {
    await retry(async () => {
      await this.tasks(task).first().click();
      await this.tab(file).waitFor({ timeout: 20_000 });
    });
  }

  /** tasks are the rows of the Tasks view with a text. */
  tasks(text = ""): Locator {
    return this.page.locator('.pane:has([aria-label^="Tasks"]) .monaco-list-row', { hasText: text });
  }

  /** scrollTo moves the selection of the Tasks view down until a row is in view. */
  async scrollTo(row: Locator): Promise<void> {
    // Keys, since a turn of the mouse's wheel is sometimes never answered by a headless Chromium.
    await this.page.locator('.pane:has([aria-label^="Tasks"]) .monaco-list').focus();
    await retry(async () => {
      if (await row.isVisible()) return;
      await this.page.keyboard.press("PageDown");
      await row.waitFor({ timeout: 2000 });
    });
  }

  /** sign is the sign before a task. */
  async sign(row: Locator): Promise<string> {
    const icon = row.locator(".custom-view-tree-node-item-icon").first();
    return /signs(?:\/|%2F)(\w+)-/.exec(await icon.evaluate((e) => getComputedStyle(e).backgroundImage))?.[1] ?? "";
  }

  /** hover points at a place until the expected element is visible, since a redrawn editor closes its hovers. */
  async hover(at: Locator, shown: Locator): Promise<void> {
    await retry(async () => {
      await this.page.mouse.move(0, 0);
      await at.hover({ timeout: 10_000 });
      await shown.waitFor({ timeout: 10_000 });
    });
  }

  /** file is a row of the explorer, which must show it. */
  file(name: string): Locator {
    return this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).first();
  }

  /** failed waits until the Tasks view and the status bar show a failed comparison with a reason. */
  async failed(reason: string): Promise<void> {
    await this.page.locator(".statusbar-item", { hasText: "Diffprof: not compared" }).and(this.page.locator(`[aria-label*="${reason}"]`)).waitFor();
    await this.show();
    await this.page.locator(".pane-body .message", { hasText: reason }).waitFor();
  }

  /** compared waits until neither of them shows a failure. */
  async compared(): Promise<void> {
    await this.page.locator(".statusbar-item", { hasText: /finding/ }).waitFor();
    await this.page.locator(".pane-body .message", { hasText: "Not compared" }).waitFor({ state: "hidden" });
  }

  /** runs are the rows of the Runs view. */
  runs(): Locator {
    return this.page.locator('.pane:has([aria-label^="Runs"]) .monaco-list-row');
  }

  welcome(text: string): Locator {
    return this.page.locator(".welcome-view-content", { hasText: text });
  }

  toast(text: string): Locator {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  tab(text: string): Locator {
    return this.page.locator(".tab.active", { hasText: text });
  }

  /** webview is the document inside of the webview that shows the app. */
  webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready[src*="extensionId=diffprof.diffprof"]').frameLocator("#active-frame");
  }

  /** flask waits for the drawing of a task's flask, with a row of only the subject. */
  async flask(): Promise<void> {
    await this.webview().locator(".outline .line.s2").first().waitFor();
  }

  /** guide is the document inside of the webview that shows a step of the walkthrough. */
  guide(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready[src*="extensionId=&"]').frameLocator("#active-frame");
  }

  /** heat is the text of the lines coloured by heat, and the share of contrast that their words keep. */
  heat(): Promise<{ text: string; kept: number }[]> {
    return this.page.evaluate(() => {
      type Colour = [number, number, number, number];
      const parse = (text: string) => [...(text.match(/[\d.]+/g) ?? []).map(Number), 1].slice(0, 4) as Colour;
      const over = ([r, g, b, a]: Colour, [R, G, B]: Colour): Colour => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
      const luminance = (c: Colour) => {
        const [r, g, b] = c.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as Colour;
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const contrast = (a: Colour, b: Colour) => {
        const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p) as [number, number];
        return (x + 0.05) / (y + 0.05);
      };
      const style = (e: Element) => getComputedStyle(e);
      const ground = parse(style(document.querySelector(".monaco-editor .monaco-editor-background")!).backgroundColor);
      return [...document.querySelectorAll(".view-overlays .cdr")]
        .filter((e) => style(e).borderLeftWidth === "3px")
        .map((e) => {
          const colour = over(parse(style(e).backgroundColor), ground);
          const top = e.getBoundingClientRect().top;
          const line = [...document.querySelectorAll(".view-line")].find((l) => Math.abs(l.getBoundingClientRect().top - top) < 2)!;
          const words = [...line.querySelectorAll("span span")].filter((s) => s.textContent?.trim()).map((s) => parse(style(s).color));
          return { text: line.textContent ?? "", kept: Math.min(...words.map((w) => contrast(w, colour) / contrast(w, ground))) };
        });
    });
  }

  /** hatched counts the hatched lines. It is -1 if one of them has a figure. */
  hatched(): Promise<number> {
    return this.page.evaluate(() => {
      const tops = [...document.querySelectorAll(".glyph-margin-widgets > div")]
        .filter((e) => /M4 6 8 2M4 11/.test(decodeURIComponent(getComputedStyle(e).backgroundImage)))
        .map((e) => e.getBoundingClientRect().top);
      const lines = [...document.querySelectorAll(".view-line")];
      const texts = tops.map((top) => lines.find((l) => Math.abs(l.getBoundingClientRect().top - top) < 2)?.textContent ?? "±");
      return texts.some((text) => text.includes("±")) ? -1 : texts.length;
    });
  }

  /** unreadable lists the serious findings of axe in the web view. */
  async unreadable(axe: string): Promise<string[]> {
    const frame = await (await this.webview().locator("body").elementHandle())!.ownerFrame();
    await frame!.evaluate(axe);
    return frame!.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const { violations } = await axe.run();
      return violations
        .filter((v) => v.impact === "serious" || v.impact === "critical")
        .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 120)} ${n.failureSummary ?? ""}`));
    });
  }

  /** picture saves a screenshot of the page, or of the part around some elements, if SCREENSHOTS is set. */
  async picture(name: string, ...places: Locator[]): Promise<void> {
    this.shots++;
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    const path = join(pictures, `${this.name}-${String(this.shots).padStart(2, "0")}-${name}.png`);
    const boxes = (await Promise.all(places.map((p) => p.first().boundingBox()))).filter((b) => b !== null);
    const [x, y] = [Math.min(...boxes.map((b) => b.x)), Math.min(...boxes.map((b) => b.y))];
    const [right, bottom] = [Math.max(...boxes.map((b) => b.x + b.width)), Math.max(...boxes.map((b) => b.y + b.height))];
    const clip = boxes.length > 0 ? { clip: { x, y, width: right - x, height: bottom - y } } : {};
    await this.page.screenshot({ animations: "disabled", path, ...clip });
  }

  /** servers are the language servers of this VS Code, which share its home folder. */
  servers(): number[] {
    return readdirSync("/proc")
      .filter((n) => /^\d+$/.test(n) && read(`/proc/${n}/cmdline`).includes("\0lsp\0") && read(`/proc/${n}/environ`).includes(`HOME=${this.folder}\0`))
      .map(Number);
  }

  private icon(): Locator {
    return this.page.locator('.activitybar .action-item:has(a[aria-label^="Diffprof"])');
  }

  private folders(): string[] {
    return ["--user-data-dir", join(this.folder, "data"), "--extensions-dir", join(this.folder, "extensions"), "--config", join(this.folder, "config.yaml")];
  }

  // Its own home folder, so that no file of the user is read or written.
  private env(): NodeJS.ProcessEnv {
    const { VSCODE_IPC_HOOK_CLI: _, ...env } = process.env;
    return { ...env, HOME: this.folder, XDG_CONFIG_HOME: join(this.folder, "config"), XDG_DATA_HOME: join(this.folder, "share"), LANG: "C.UTF-8" };
  }
}

// retry repeats a failing function several times, then throws its last error.
async function retry(run: () => Promise<void>, times = 12): Promise<void> {
  for (let left = times - 1; ; left--) {
    try {
      return await run();
    } catch (err) {
      if (left === 0) throw err;
    }
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // a process that ended meanwhile
  }
}
