// The app in a webview: no data in the document, an extension that answers requests.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, compare, launch, open, readData, sample, shoot, withoutData, type Data, type Opened } from "./browser";

describe.skipIf(!browserPath())("webview", () => {
  let browser: Browser;
  let data: Data;
  let o: Opened;
  let page: Page;
  const posted = () => page.evaluate(() => (globalThis as unknown as { posted: unknown[] }).posted);
  const tell = (message: unknown) => page.evaluate((m) => postMessage(m, "*"), message);
  // The view shows that it is loading before it sends the request. An answer before the request would be lost, but no host sends one.
  const asked = (id: string) => page.waitForFunction(
    (id) => (globalThis as unknown as { posted: { type: string; id?: string }[] }).posted.some((m) => m.type === "flask" && m.id === id), id);

  beforeAll(async () => {
    browser = await launch();
    const path = compare("webview-data", sample("subject.trace.gz"), sample("reference.trace"));
    data = readData(path);
    o = await open(browser, withoutData(path, "webview", "Waiting for the comparison…"), {}, () => {
      const posted: unknown[] = [];
      const state = { getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null"), setState: (s: unknown) => sessionStorage.setItem("state", JSON.stringify(s)) };
      Object.assign(globalThis, { posted, acquireVsCodeApi: () => ({ postMessage: (m: unknown) => posted.push(m), ...state }) });
    });
    page = o.page;
  });
  afterAll(() => browser?.close());

  it("waits, then shows the report", async () => {
    expect(await posted()).toContainEqual({ type: "ready" });
    expect(await page.locator("#view").innerText()).toBe("Waiting for the comparison…");
    expect(await page.locator("[role=tab]").count()).toBe(0);
    await tell({ type: "report", report: data.report, volts: 3.7 });
    await page.waitForSelector("#task-0");
  });

  it("requests a flask once, shows it, and opens sources", async () => {
    const id = data.report.tasks[0].id;
    await tell({ type: "open", task: id });
    await page.waitForSelector("text=Loading");
    await asked(id);
    expect((await posted() as { type: string }[]).filter((m) => m.type === "flask")).toEqual([{ type: "flask", id }]);
    expect(await posted()).toContainEqual({ type: "title", text: "Flask: TextView.setText" });
    await tell({ type: "flask", id, flask: data.flasks[id] });
    await page.waitForSelector(".outline");
    await page.focus(".outline");
    await page.keyboard.press("ArrowUp");
    await page.click(".sources li:has-text('TrackElapsedTimeView.java') >> text=Open source");
    const messages = await posted() as { type: string; method?: string; file?: string }[];
    expect(messages.at(-1)).toMatchObject({ type: "open", file: "TrackElapsedTimeView.java" });
    expect(messages.filter((m) => m.type === "flask")).toHaveLength(1);
    expect(page.url()).not.toContain("#");
  });

  it("shows why a flask failed, and accepts a new report", async () => {
    await tell({ type: "view", view: "run" });
    await page.waitForSelector("text=Loading");
    await asked("");
    await tell({ type: "flaskFailed", id: "", message: "the server is gone" });
    await page.waitForSelector("[role=alert] >> text=the server is gone");
    await tell({ type: "report", report: { ...data.report, tasks: [], appCode: [] } });
    await tell({ type: "view", view: "tasks" });
    await page.waitForSelector("text=has no tasks");
    await tell({ type: "report", report: data.report });
  });

  it("restores its state when it is reloaded", async () => {
    await tell({ type: "view", view: "summary" });
    await page.waitForSelector("[role=tab][aria-selected=true] >> text=Summary");
    await page.reload();
    await tell({ type: "report", report: data.report });
    await page.waitForSelector("[role=tab][aria-selected=true] >> text=Summary");
    await tell({ type: "open", task: data.report.tasks[1].id });
    await page.waitForSelector("[role=tab][aria-selected=true] >> text=Flask");
    await page.reload();
    await tell({ type: "report", report: data.report });
    await page.waitForSelector("[role=tab][aria-selected=true] >> text=Flask");
    await asked(data.report.tasks[1].id);
    expect(page.url()).not.toContain("#");
  });

  it("has the colours of the editor's theme", async () => {
    const wear = (kind: string, background: string) => page.evaluate(([kind, background]) => {
      document.body.className = kind;
      document.documentElement.style.setProperty("--vscode-editor-background", background);
      const { backgroundColor, color } = getComputedStyle(document.body);
      return [backgroundColor, color];
    }, [kind, background]);
    expect(await wear("vscode-dark", "rgb(1, 2, 3)")).toEqual(["rgb(1, 2, 3)", "rgb(228, 231, 235)"]);
    await shoot(page, "webview-dark");
    expect(await wear("vscode-light", "rgb(250, 251, 252)")).toEqual(["rgb(250, 251, 252)", "rgb(27, 31, 36)"]);
    expect(o.complaints).toEqual([]);
  });
});
