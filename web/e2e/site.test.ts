// The page that compares in the browser, from the file that `make site` writes.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, compare, launch, readData, sample, violations, shoot } from "./browser";

const web = resolve(import.meta.dirname, "..");
const profile = resolve(web, "../testdata/cases/power_profile.xml");

describe.skipIf(!browserPath())("the page that compares in the browser", () => {
  let folder: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const requests: string[] = [];
  const file = (name: string) => join(folder, name);
  const give = (role: string, ...paths: string[]) => page.setInputFiles(`#${role}-file`, paths);
  const report = () => page.frameLocator("#report");
  /** open opens an empty page, offline. */
  const open = async (colorScheme: "light" | "dark" = "light", width = 1280) => {
    await context?.close();
    context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, offline: true, acceptDownloads: true });
    page = await context.newPage();
    page.on("console", (m) => complaints.push(`${m.type()}: ${m.text()}`));
    page.on("pageerror", (e) => complaints.push(e.message));
    page.on("request", (r) => requests.push(r.url()));
    await page.goto(`file://${file("index.html")}`);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "diffprof-site"));
    execFileSync(join(web, "site/build.sh"), [file("index.html")], { stdio: ["ignore", "ignore", "inherit"] });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
    expect(complaints).toEqual([]);
    // The page has all other data itself.
    expect(requests.filter((url) => !url.startsWith("blob:") && url !== `file://${file("index.html")}`)).toEqual([]);
  });

  it("writes the same report as the program", async () => {
    await open();
    await shoot(page, "site-begin");
    expect(await violations(page)).toEqual([]);
    expect(await page.isDisabled("#start")).toBe(true);
    await give("subject", sample("subject.trace.gz"));
    await give("reference", sample("reference.trace"));
    await page.click("summary:has-text('phone')");
    await give("powerProfile", profile);
    await shoot(page, "site-given");
    await page.click("#start");
    await report().locator("[role=tab]").first().waitFor();
    await shoot(page, "site-report");
    expect(await page.innerText("#title")).toBe("subject.trace.gz compared with reference.trace");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    expect(download.suggestedFilename()).toBe("subject.trace.gz-compared-with-reference.trace.html");
    await download.saveAs(file("saved.html"));
    const saved = readData(file("saved.html"));
    const made = readData(compare("pandora", sample("subject.trace.gz"), sample("reference.trace")));
    expect(saved.report.tasks).toEqual(made.report.tasks);
    expect(saved.report.summary).toEqual(made.report.summary);
    expect({ ...saved.report.subject, path: "" }).toEqual({ ...made.report.subject, path: "" });
    expect([saved.flasks, saved.run, saved.top]).toEqual([made.flasks, made.run, made.top]);
    // The frame's own address has its state.
    await report().locator("#tab-summary").click();
    await report().locator(".alphas").waitFor();
  });

  it("has a sample, and instructions for recording traces", async () => {
    await open();
    await page.click("summary:has-text('record')");
    expect(await page.innerText("pre")).toContain("adb shell am profile start");
    await shoot(page, "site-record");
    expect(await violations(page)).toEqual([]);
    await page.click("#sample");
    await report().locator(".inshort >> text=Look here first").waitFor();
    expect(await report().locator(".inshort").innerText()).toContain("called from TrackElapsedTimeView.show");
    expect(await page.innerText("#title")).toBe("pandora-5.7.trace.gz compared with pandora-8.3.trace.gz");
    await page.click("#again");
    expect(await page.isVisible("#sample")).toBe(false);
  });

  it("takes two at once, the later one as the subject, and swaps them", async () => {
    await open();
    for (const [name, from, at] of [["a.trace", "reference.trace", 1e9], ["b.trace.gz", "subject.trace.gz", 2e9]] as const) {
      copyFileSync(sample(from), file(name));
      utimesSync(file(name), at, at);
    }
    await give("reference", file("a.trace"), file("b.trace.gz"));
    expect(await page.innerText("#subject-name")).toMatch(/^b\.trace\.gz, /);
    await page.click("#swap");
    expect(await page.innerText("#subject-name")).toMatch(/^a\.trace, /);
    expect(await page.innerText("#reference-name")).toMatch(/^b\.trace\.gz, /);
  });

  it("shows one run by itself, and compares traces of one name", async () => {
    await open("dark");
    await give("subject", sample("reference.trace"));
    expect(await page.innerText("#start")).toBe("Show this run");
    await page.click("#start");
    await report().locator("[role=tab]").first().waitFor();
    expect(await report().locator("[role=tab]").first().innerText()).toBe("The run");
    await shoot(page, "site-one-run");
    await page.click("#again");
    mkdirSync(file("other"));
    copyFileSync(sample("reference.trace"), file("other/reference.trace"));
    await give("reference", file("other/reference.trace"));
    await page.click("#start");
    await report().locator("#tab-tasks").waitFor();
  });

  it("shows what is wrong with a file, and continues", async () => {
    await open("light", 400);
    writeFileSync(file("nothing.trace"), "this is no trace");
    await give("subject", file("nothing.trace"));
    await give("reference", sample("reference.trace"));
    await page.click("#start");
    await page.waitForSelector("#error:not([hidden])");
    expect(await page.innerText("#error")).toMatch(/^nothing\.trace: /);
    expect(await violations(page)).toEqual([]);
    await shoot(page, "site-error");
    await give("subject", sample("subject.trace.gz"));
    expect(await page.isVisible("#error")).toBe(false);
    await give("mappingSubject", file("nothing.trace"));
    await page.click("#start");
    await page.waitForSelector("#error:not([hidden])");
    expect(await page.innerText("#error")).toContain("nothing.trace");
    await page.click("summary:has-text('phone')");
    await page.click("#mappingSubject-remove");
    await page.click("#start");
    await report().locator("#tab-tasks").waitFor();
  });

  it("is cancelled", async () => {
    await open();
    await give("subject", sample("subject.trace.gz"));
    await give("reference", sample("reference.trace"));
    await page.click("#start");
    await page.click("#cancel");
    expect(await page.isVisible("#choose")).toBe(true);
    await page.click("#start");
    await report().locator("#tab-tasks").waitFor();
  });
});
