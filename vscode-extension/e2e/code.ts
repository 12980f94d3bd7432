// A VS Code in a browser: code-server with folders of its own, and a page on it.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type FrameLocator, type Locator, type Page } from "playwright-core";

const vsix = process.env["VSIX"] ?? "";
const codeServer = process.env["CODE_SERVER"] ?? "";
const pictures = process.env["SCREENSHOTS"] ?? "";

/** missing says what there is not to run these tests with; empty if all is there. */
export function missing(): string {
  if (!vsix || !existsSync(vsix)) return "no .vsix (run vscode-extension/test.sh)";
  if (!codeServer || !existsSync(join(codeServer, "complete"))) return "no VS Code that runs in a browser";
  return browserPath() ? "" : "no Chromium";
}

/** browserPath finds a Chromium: the one named by CHROMIUM, else the first on PATH. */
export function browserPath(): string {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
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

export interface Settings {
  [key: string]: unknown;
}

export class Code {
  readonly folder = mkdtempSync(join(tmpdir(), "diffprof-code-"));
  readonly workspace = join(this.folder, "workspace");
  private process: ChildProcess | null = null;
  private browser: Browser | null = null;
  private address = "";
  page!: Page;
  readonly errors: string[] = [];
  private shots = 0;

  /** name begins the names of pictures. */
  constructor(private readonly name = "sample") {}

  /** install installs the package. */
  install(): void {
    this.cli("--install-extension", vsix);
  }

  /** cli runs code-server's command line on this VS Code's folders. */
  cli(...args: string[]): string {
    return execFileSync(process.execPath, [join(codeServer, "node_modules/code-server/out/node/entry.js"), ...this.folders(), ...args], {
      encoding: "utf8",
      env: this.env(),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** sample is the sample app inside the installed extension. */
  sample(): string {
    return join(this.extension(), "sample");
  }

  /** copySample makes the workspace, or another folder, of it, with source older than the recording. */
  copySample(to = this.workspace): void {
    cpSync(this.sample(), to, { recursive: true });
    const written = new Date("2010-01-01T00:00:00Z");
    for (const e of readdirSync(to, { recursive: true, withFileTypes: true })) {
      if (e.isFile() && e.name.endsWith(".java")) utimesSync(join(e.parentPath, e.name), written, written);
    }
  }

  extension(): string {
    const name = this.installed()[0];
    if (!name) throw new Error("the extension is not installed");
    return join(this.folder, "extensions", name);
  }

  /** installed lists the folders of installed extensions. */
  installed(): string[] {
    const folder = join(this.folder, "extensions");
    return existsSync(folder) ? readdirSync(folder).filter((n) => n.startsWith("diffprof.")) : [];
  }

  async start(settings: Settings, options: { trust?: boolean } = {}): Promise<void> {
    mkdirSync(join(this.folder, "data/User"), { recursive: true });
    const quiet = {
      "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "security.workspace.trust.startupPrompt": "never",
      "git.enabled": false, "extensions.ignoreRecommendations": true, "workbench.tips.enabled": false, "window.commandCenter": false,
    };
    writeFileSync(join(this.folder, "data/User/settings.json"), JSON.stringify({ ...quiet, ...settings }));
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}`;
    this.process = spawn(
      process.execPath,
      [
        join(codeServer, "node_modules/code-server/out/node/entry.js"), "--auth", "none", "--bind-addr", `127.0.0.1:${port}`,
        ...this.folders(), "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override",
        ...(options.trust ? [] : ["--disable-workspace-trust"]),
      ],
      { env: this.env(), stdio: ["ignore", "pipe", "pipe"] },
    );
    let log = "";
    for (const out of [this.process.stdout!, this.process.stderr!]) out.on("data", (d: Buffer) => (log = (log + d).slice(-4000)));
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${this.address}/healthz`).catch(() => null);
      if (answer?.ok) break;
      if (this.process.exitCode !== null || tries > 300) throw new Error(`code-server did not start:\n${log}`);
      await new Promise((r) => setTimeout(r, 100));
    }
    this.browser = await chromium.launch({
      executablePath: browserPath(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
  }

  /** open opens a folder in a fresh page. */
  async open(folder: string, size = { width: 1280, height: 800 }): Promise<void> {
    const context = await this.browser!.newContext({ viewport: size, permissions: ["clipboard-read", "clipboard-write"] });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(60_000); // a busy machine
    this.page.on("pageerror", (e) => this.errors.push(e.message));
    this.page.on("console", (m) => {
      if (m.type() === "error" && /diffprof|Content Security Policy/i.test(m.text())) this.errors.push(m.text());
    });
    const kind = folder.endsWith(".code-workspace") ? "workspace" : "folder";
    await this.page.goto(`${this.address}/?${kind}=${encodeURIComponent(folder)}`);
    await this.page.locator(".monaco-workbench").waitFor();
    const file = this.page.locator(".explorer-folders-view .monaco-list-row").first();
    // A workspace of several folders is empty at times until it is loaded again.
    await file.waitFor({ timeout: 20_000 }).catch(() => this.page.reload());
    await file.waitFor();
  }

  /** trusted opens a folder and trusts it. */
  async trusted(folder: string): Promise<void> {
    await this.open(folder);
    await this.command("Workspaces: Manage Workspace Trust");
    const trust = this.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first();
    const done = this.page.locator(".workspace-trust-editor", { hasText: "You trust this" });
    await trust.or(done).first().waitFor();
    if (await trust.isVisible()) await trust.click();
    await done.first().waitFor();
    await this.command("View: Close Editor");
  }

  /** command runs a command by its name in the palette. */
  async command(name: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
    // A palette that was opened before an extension's commands were known does not learn of them.
    for (let tries = 0; tries < 10 && !(await row.isVisible()); tries++) {
      await this.page.keyboard.press("F1");
      await input.waitFor();
      await input.fill(`>${name}`);
      await row.waitFor({ timeout: 5000 }).catch(() => this.page.keyboard.press("Escape"));
    }
    await row.click();
  }

  /** menu picks from the context menu of a place. A menu takes no click right after it opened, so that is tried again. */
  async menu(at: Locator, name: string): Promise<void> {
    await at.click({ button: "right" });
    const item = this.page.locator(".context-view .action-item", { hasText: name });
    await item.waitFor();
    for (let tries = 0; tries < 20 && (await item.isVisible()); tries++) {
      await item.click({ timeout: 1000 }).catch(() => undefined);
      await item.waitFor({ state: "hidden", timeout: 500 }).catch(() => undefined);
    }
  }

  /** openFile opens a file by its name. */
  async openFile(path: string): Promise<void> {
    for (const part of path.split("/")) {
      const row = this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${part}"]`).first();
      await row.waitFor();
      if ((await row.getAttribute("aria-expanded")) !== "true") await row.click();
    }
  }

  /** webview is the document inside of the webview that shows the app. */
  webview(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
  }

  /** picture keeps a picture of the page, if the caller wants any. */
  async picture(name: string): Promise<void> {
    this.shots++;
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ animations: "disabled", path: join(pictures, `${this.name}-${String(this.shots).padStart(2, "0")}-${name}.png`) });
  }

  /** servers are the processes of diffprof that this VS Code started. */
  servers(): number[] {
    return readdirSync("/proc")
      .filter((n) => /^\d+$/.test(n))
      .filter((n) => {
        try {
          const line = readFileSync(`/proc/${n}/cmdline`, "utf8");
          return line.includes(this.folder) && line.includes("\0lsp\0");
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  async closePage(): Promise<void> {
    await this.page.context().close();
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    this.browser = null;
    const p = this.process;
    this.process = null;
    if (!p || p.exitCode !== null) return;
    const over = new Promise((r) => p.once("exit", r));
    p.kill("SIGTERM");
    await over;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private folders(): string[] {
    return ["--user-data-dir", join(this.folder, "data"), "--extensions-dir", join(this.folder, "extensions"), "--config", join(this.folder, "config.yaml")];
  }

  // A home of its own, so that nothing of the user's is read or written.
  private env(): NodeJS.ProcessEnv {
    const { VSCODE_IPC_HOOK_CLI: _, ...env } = process.env;
    return { ...env, HOME: this.folder, XDG_CONFIG_HOME: join(this.folder, "config"), XDG_DATA_HOME: join(this.folder, "share"), LANG: "C.UTF-8" };
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const s = createServer();
    s.once("error", reject);
    s.listen(0, "127.0.0.1", () => {
      const a = s.address();
      s.close(() => (a && typeof a === "object" ? resolve(a.port) : reject(new Error("no port"))));
    });
  });
}
