// A headless Chromium, and pages for it.

import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { unpackNames, type PackedFlask } from "../src/host";
import type { FlaskJSON, MethodListJSON, Report } from "../src/model";
import { pack } from "../test/fixtures";

const root = resolve(import.meta.dirname, "../..");
// The pages stay after the tests, to look at.
const folder = join(root, "build/web");
mkdirSync(folder, { recursive: true });

/** browserPath finds a Chromium: the variable CHROMIUM, else the first on PATH. It is empty without one. */
export function browserPath(): string {
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM] : folders.flatMap((f) => names.map((n) => join(f, n)));
  return candidates.find(runs) ?? "";
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** launch starts a Chromium. drawing selects its renderer; the default one has no WebGL. */
export function launch(drawing: string[] = ["--disable-gpu"]): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath(),
    args: [...drawing, "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** compare writes the page of a pair of traces with the program, built from this checkout. */
export const compare = (name: string, subject: string, reference: string) => write(name, "compare", subject, reference);

/** single writes the page of one trace. */
export const single = (name: string, trace: string) => write(name, "tree", trace);

function write(name: string, command: string, ...traces: string[]): string {
  return written(`${name}.html`, command, "--format", "html", ...traces);
}

/** program returns the path of the program, built from this checkout. */
export function program(): string {
  if (process.env.DIFFPROF) return process.env.DIFFPROF;
  const path = join(folder, "diffprof");
  execFileSync("go", ["build", "-o", path, "./cmd/diffprof"], { cwd: root, stdio: "inherit" });
  return path;
}

/** written writes a file of this name with the program, built from this checkout. */
export function written(name: string, command: string, ...args: string[]): string {
  const file = join(folder, name);
  const profile = join(root, "testdata/cases/power_profile.xml");
  execFileSync(program(), [command, "--power-profile", profile, "-o", file, ...args], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return file;
}

export const sample = (file: string) => join(root, "testdata/cases/pandora57-pandora83", file);

/** recorded finds a trace recorded on a phone. It is empty if the trace is missing, since the project does not contain these traces. */
export function recorded(name: string): string {
  const path = join(root, "../shared/data/art", name);
  return existsSync(path) ? path : "";
}

export interface Data {
  report: Report;
  headline: string[];
  volts: number;
  flasks: Record<string, FlaskJSON>;
  run: FlaskJSON;
  top: MethodListJSON;
}

/** withoutData removes the data of a page. Like in a webview, the page has only the app and a waiting message. */
export function withoutData(page: string, name: string, waiting: string): string {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, readFileSync(page, "utf8").replace(block, "").replace('<div id="app">', (app) => app + waiting));
  return path;
}

const block = /(<script type="application\/gzip;base64" id="data">)(.*?)(<\/script>)/s;

export function readData(page: string): Data {
  const { names, flasks, run, top, ...rest } = JSON.parse(gunzipSync(Buffer.from(block.exec(readFileSync(page, "utf8"))![2], "base64")).toString());
  const unpacked = Object.entries<PackedFlask>(flasks).map(([id, f]) => [id, unpackNames(f, names)]);
  return { ...rest, flasks: Object.fromEntries(unpacked), run: unpackNames(run, names), top: unpackNames(top, names) };
}

/** replaceData rewrites a page with other data, packed like the program's. */
export function replaceData(page: string, name: string, data: Data): string {
  const ids = Object.keys(data.flasks);
  const { packed: all, names } = pack<FlaskJSON | MethodListJSON>([...Object.values(data.flasks), data.run, data.top]);
  const flasks = Object.fromEntries(ids.map((id, i) => [id, all[i]]));
  const packed = gzipSync(JSON.stringify({ ...data, flasks, run: all[ids.length], top: all[ids.length + 1], names })).toString("base64");
  const path = join(folder, `${name}.html`);
  writeFileSync(path, readFileSync(page, "utf8").replace(block, (_, open, __, close) => open + packed + close));
  return path;
}

/** An Opened page records its errors and its requests. */
export interface Opened {
  page: Page;
  complaints: string[];
  requests: string[];
  close(): Promise<void>;
}

/** open opens a page; first runs in it before all other scripts. */
export async function open(browser: Browser, path: string, options: BrowserContextOptions = {}, first?: () => void): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  if (first) await context.addInitScript(first);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (m) => complaints.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => complaints.push(e.message));
  page.on("requestfinished", (r) => requests.push(r.url()));
  await page.goto(`file://${path}`);
  await page.waitForSelector("[role=tab], .article, #view [role=alert], #view [role=status]");
  return { page, complaints, requests, close: () => context.close() };
}

/** shoot takes a screenshot if SCREENSHOTS names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
}

/** A Pandora is the sample's page, open in a browser for the tests of one file. */
export interface Pandora {
  browser: Browser;
  path: string;
  data: Data;
  opened: Opened;
  page: Page;
  /** view selects a view by its tab. */
  view(name: string): Promise<void>;
}

/** pandora opens the sample's page before the tests of a file. After them it checks that the page had no errors and made no requests. */
export function pandora(): Pandora {
  const f = {
    async view(name: string) {
      await f.page.click(`#tab-${name}`);
      await settled(f.page);
    },
  } as Pandora;
  beforeAll(async () => {
    f.browser = await launch();
    f.path = compare("pandora", sample("subject.trace.gz"), sample("reference.trace"));
    f.data = readData(f.path);
    f.opened = await open(f.browser, f.path);
    f.page = f.opened.page;
  });
  afterAll(async () => {
    await f.browser?.close();
    expect(f.opened.complaints).toEqual([]);
    expect(f.opened.requests).toEqual([`file://${f.path}`]);
  });
  return f;
}

/** settled waits until the page is drawn. */
export const settled = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export const texts = (page: Page, selector: string) => page.locator(selector).allInnerTexts();
export const names = (page: Page, selector: string) => page.locator(selector).allTextContents();
export const focused = (page: Page, what: string) => page.waitForFunction((what) => document.activeElement?.matches(what), what);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** violations lists the findings of axe, and whether the page is wider than its window. */
export async function violations(page: Page): Promise<string[]> {
  await settled(page);
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const found = (await (globalThis as any).axe.run()).violations
      .map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
    const over = document.documentElement.scrollWidth - innerWidth;
    return over > 0 ? [...found, `wider than the window by ${over}`] : found;
  });
}
