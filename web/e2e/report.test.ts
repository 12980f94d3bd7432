import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostile } from "../test/fixtures";
import { browserPath, compare, launch, open, readData, recorded, replaceData, sample, shoot, type Data, type Opened } from "./browser";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const settled = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const texts = (page: Page, selector: string) => page.locator(selector).allInnerTexts();
const names = (page: Page, selector: string) => page.locator(selector).allTextContents();
const focused = (page: Page, what: string) => page.waitForFunction((what) => document.activeElement?.matches(what), what);

/** serious lists what axe finds serious or worse, and how far the page is wider than its window. */
async function serious(page: Page): Promise<string[]> {
  await settled(page);
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run();
    const found = violations.filter((v: any) => v.impact === "serious" || v.impact === "critical")
      .map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
    const over = document.documentElement.scrollWidth - innerWidth;
    return over > 0 ? [...found, `wider than the window by ${over}`] : found;
  });
}

describe.skipIf(!browserPath())("report", () => {
  let browser: Browser;
  let path: string;
  let data: Data;
  let o: Opened;
  let page: Page;

  beforeAll(async () => {
    browser = await launch();
    path = compare("pandora", sample("subject.trace.gz"), sample("reference.trace"));
    data = readData(path);
    o = await open(browser, path);
    page = o.page;
  });
  afterAll(() => browser?.close());

  const view = async (name: string) => {
    await page.click(`#tab-${name}`);
    await settled(page);
  };

  it("lists tasks worst first and sorts them both ways by each column", async () => {
    await view("tasks");
    const first = () => page.locator("#task-0 .method").textContent();
    expect(await first()).toBe("TextView.setText");
    const figures = async (column: string) => (await texts(page, `.lines .${column}`)).map((t) => parseFloat(t.replace(/[^\d.−<]/g, "").replace("−", "-")) || 0);
    for (const [name, column] of [["Here", "here .figure"], ["Own", "own"]]) {
      await page.click(`[role=columnheader] >> text=${name}`);
      const down = await figures(column);
      expect(down).toEqual(down.toSorted((a, b) => b - a));
      await page.click(`[role=columnheader] >> text=${name}`);
      expect(await page.locator("[aria-sort=ascending]").innerText()).toContain(name);
      const up = await figures(column);
      expect(up).toEqual(up.toSorted((a, b) => a - b));
    }
    await page.click("[role=columnheader] >> text=Saving");
    expect(await first()).toBe("TextView.setText");
  });

  it("filters by text, status and package, and groups by calling class", async () => {
    await view("tasks");
    await page.keyboard.press("/");
    await page.keyboard.type("trackelapsed settext");
    expect(await names(page, ".lines .method")).toContain("TextView.setText");
    expect(await page.locator(".note").innerText()).toContain(`of ${data.report.tasks.length} tasks`);
    await page.fill("input[type=search]", "");
    const chip = (name: string) => page.locator(".chip", { hasText: name });
    await chip("only here").click();
    expect(await page.locator(".lines .row").count()).toBe(data.report.summary.unmatched);
    expect(await chip("only here").locator(".figure").innerText()).toBe(String(data.report.summary.unmatched));
    expect(await chip("only here").getAttribute("aria-pressed")).toBe("true");
    await chip("All").click();
    await page.selectOption("[aria-label='Package of the caller']", "com.pandora.android.view");
    expect(await page.locator(".lines .row").count()).toBeGreaterThan(0);
    expect(await page.locator(".lines .row").count()).toBeLessThan(data.report.tasks.length);
    await page.selectOption("[aria-label='Package of the caller']", "");
    const thread = data.report.tasks.find((t) => t.threads[0] !== data.report.tasks[0].threads[0])!.threads[0];
    await page.selectOption("[aria-label=Thread]", { label: thread });
    expect(await texts(page, ".lines .second")).not.toContain("TrackElapsedTimeView.show");
    expect(await page.locator(".lines .row").count()).toBe([...data.report.tasks, ...data.report.appCode].filter((t) => t.threads.includes(thread)).length);
    await page.selectOption("[aria-label=Thread]", "any");
    await page.check("text=By calling class");
    expect(await page.locator(".heading").first().innerText()).toContain("TrackElapsedTimeView");
    await page.uncheck("text=By calling class");
    await page.fill("input[type=search]", "no such thing");
    await page.click("text=Show all tasks");
    expect(await page.locator(".lines .row").count()).toBeGreaterThan(5);
  });

  it("works by keyboard from the list to a flask and back", async () => {
    await view("tasks");
    await page.focus(".grid");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    expect(await page.locator(".row.current").getAttribute("id")).toBe("task-2");
    expect(await page.locator(".grid").getAttribute("aria-activedescendant")).toBe("task-2");
    await page.keyboard.press("End");
    expect(await page.locator(".row.current").innerText()).toContain(String(data.report.tasks.length));
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    expect(await page.locator(".headline h2").innerText()).toBe("TextView.setText");
    await page.waitForURL(/#flask\//);
    await focused(page, ".outline");
    for (const [key, place] of [["]", "2 of"], ["[", "1 of"]]) {
      await page.keyboard.press(key);
      await page.waitForSelector(`.turn >> text=${place}`);
      await focused(page, ".outline");
    }
    await page.keyboard.press("w");
    await focused(page, "canvas");
    await page.keyboard.press("f");
    await focused(page, ".outline");
    await page.keyboard.press("Escape");
    await focused(page, ".grid");
    await page.focus("#tab-tasks");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
    await focused(page, "#tab-summary");
    await page.waitForSelector(".view.summary");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await focused(page, ".view.summary");
  });

  it("draws the two flasks on the same rows and links what matches", async () => {
    await view("tasks");
    await page.click("#task-0");
    await settled(page);
    await shoot(page, "flask");
    await page.waitForSelector(".drawing .link", { state: "attached" });
    const links = await page.evaluate(() => {
      const nodes = (side: string) => [...document.querySelectorAll<SVGElement>(`.drawing .${side} .node`)].map((n) => Number(n.getAttribute("cy")));
      const subject = new Set(nodes("subject"));
      const reference = new Set(nodes("reference"));
      const y = [...document.querySelectorAll<SVGElement>(".drawing .link")].map((l) => Number(/,([\d.]+)/.exec(l.getAttribute("d")!)![1]));
      return { subject: [...subject], reference: [...reference], y };
    });
    const both = links.subject.filter((y) => links.reference.includes(y));
    expect(links.y.toSorted((a, b) => a - b)).toEqual(both.toSorted((a, b) => a - b));
    expect(both.length).toBeGreaterThan(4);
    expect(links.subject.length).toBeGreaterThan(both.length);
    // Text and drawing agree, too.
    const off = await page.evaluate(() => {
      const top = document.querySelector(".outline .canvas")!.getBoundingClientRect().top;
      const rows = [...document.querySelectorAll(".line:not(.cheap)")].map((l) => l.getBoundingClientRect().top + 15 - top);
      const nodes = [...document.querySelectorAll<SVGElement>(".drawing .subject .node")].map((n) => Number(n.getAttribute("cy")));
      return nodes.filter((y) => !rows.some((r) => Math.abs(r - y) < 1)).length;
    });
    expect(off).toBe(0);
    expect(await page.locator(".line.s2 .pill").first().innerText()).toContain("only here");
  });

  it("says what most of the difference comes from, and leads there", async () => {
    await view("tasks");
    await page.click("#task-0");
    expect(await page.locator(".lead").innerText()).toContain("Most of the difference is under ViewRootImpl.scheduleTraversals, which the reference does not call there.");
    await page.click("text=Fold all");
    await page.click(".lead >> text=Show it");
    await page.waitForSelector(".line.current >> text=scheduleTraversals");
    expect(await page.locator(".detail h2").innerText()).toBe("ViewRootImpl.scheduleTraversals");
    await page.focus(".outline");
    await page.keyboard.press("Home");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
  });

  it("folds, unfolds, shows details and copies names, by keyboard", async () => {
    await view("tasks");
    await page.click("#task-0");
    await page.waitForSelector(".line.current");
    await page.focus(".outline");
    const count = () => page.locator(".outline").getAttribute("aria-rowcount").then(Number);
    const before = await count();
    await page.keyboard.press("ArrowLeft");
    expect(await count()).toBeLessThan(before);
    expect(await page.locator(".line.current").getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("ArrowRight");
    expect(await count()).toBe(before);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await page.locator(".detail h2").innerText()).toBe("*.run");
    expect(await page.locator(".sources").first().innerText()).toContain("TrackElapsedTimeView.java");
    await page.keyboard.press("c");
    await page.waitForFunction(() => document.querySelector(".said")?.textContent?.includes("copied") || document.querySelector(".said")?.textContent?.includes("Copied"));
    const more = page.locator(".more").first();
    if (await more.count()) {
      await more.click();
      expect(await count()).toBeGreaterThan(before);
    }
    await page.click("text=Fold all");
    await page.click("text=Unfold all");
    expect(await count()).toBeGreaterThanOrEqual(before);
    const name = await page.locator(".headline h2").innerText();
    await page.keyboard.press("]");
    await page.waitForFunction((was) => document.querySelector(".headline h2")?.textContent !== was, name);
  });

  it("draws both runs, and zooms, searches and moves by keyboard", async () => {
    await view("run");
    await shoot(page, "run");
    const inked = () => page.evaluate(() => {
      const c = document.querySelector("canvas")!;
      const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true })!;
      copy.drawImage(c, 0, 0);
      const pixels = copy.getImageData(0, 0, c.width, c.height).data;
      let sum = 0;
      for (let i = 0; i < pixels.length; i += 4) if (pixels[i] !== pixels[0] || pixels[i + 2] !== pixels[2]) sum = (sum * 31 + i) | 0;
      return sum;
    });
    await expect.poll(inked).not.toBe(0);
    await settled(page);
    const whole = await inked();
    await page.focus("canvas");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.locator(".strip b").innerText()).not.toBe("(toplevel)");
    await settled(page);
    const moved = await inked();
    await page.keyboard.press("Enter");
    await expect.poll(inked).not.toBe(moved);
    await page.fill("input[type=search]", "setText");
    expect(await page.locator("[role=status].dim").innerText()).toMatch(/\d+ places/);
    await page.press("input[type=search]", "Enter");
    await expect.poll(() => page.locator(".strip b").innerText()).toContain("setText");
    await page.fill("input[type=search]", "");
    // Observers are called in their order: the app has drawn when this one looks.
    const pixel = await page.evaluate(() => new Promise<number[]>((resolve) => {
      const c = document.querySelector("canvas")!;
      const width = c.width;
      new ResizeObserver((_, observer) => {
        if (c.width === width) return void (c.parentElement!.style.maxWidth = "90%");
        observer.disconnect();
        const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
        copy.drawImage(c, 0, 1 - c.height);
        resolve([...copy.getImageData(0, 0, 1, 1).data]);
      }).observe(c);
    }));
    expect(pixel.slice(0, 3)).not.toEqual([0, 0, 0]);
    await page.evaluate(() => document.querySelector("canvas")!.parentElement!.style.removeProperty("max-width"));
    await page.check("text=Only what differs");
    await expect.poll(inked).not.toBe(whole);
    await page.uncheck("text=Only what differs");
    await page.click("text=Outline");
    await page.waitForSelector(".outline .line");
    expect(await page.locator(".outline .line").count()).toBeGreaterThan(5);
    await page.click("text=Fold all");
    await page.fill("input[type=search]", "nativeScheduleVsync");
    await page.press("input[type=search]", "Enter");
    await page.waitForSelector(".line.current.hit");
    expect(await page.locator(".line.current .method").first().textContent()).toContain("nativeScheduleVsync");
    await page.fill("input[type=search]", "");
    await page.click("text=Icicle");
  });

  it("shows both names of what matched under two, calls at the edges, and how much is folded", async () => {
    const twins: Data = structuredClone(data);
    const id = data.report.tasks[0].id;
    for (const f of [twins.flasks[id], twins.run]) {
      const row = f.rows.status.findIndex((status, i) => status === 0 && f.rows.part[i] === 2 && f.rows.subjectCalls![i] > 1);
      f.rows.status[row] = 1;
      f.rows.referenceLabel[row] = f.labels.push("com.other.Twin.call()V") - 1;
    }
    const t = await open(browser, replaceData(path, "twins", twins));
    await t.page.click("#task-0");
    const line = t.page.locator(".line", { hasText: "≈" });
    expect(await line.locator(".method").allTextContents()).toEqual([expect.stringMatching(/^TextView\.setText/), "Twin.call"]);
    expect(await line.locator(".calls").allTextContents()).toEqual(["58×", "58×"]);
    expect(await t.page.locator(".drawing .link.s1").count()).toBe(1);
    expect(Math.max(...(await t.page.locator(".drawing .edge").evaluateAll((list) => list.map((e) => parseFloat(getComputedStyle(e).strokeWidth)))))).toBeGreaterThan(2);
    await t.page.focus(".outline");
    await t.page.keyboard.press("End");
    const folded = t.page.locator(".line.cheap .more").first();
    expect(await folded.innerText()).toMatch(/^▾ \d+ cheap branch(es)?/);
    await t.page.click("#tab-run");
    await t.page.fill("input[type=search]", "twin.call");
    await t.page.press("input[type=search]", "Enter");
    await t.page.waitForSelector(".strip >> text= / Twin.call");
    expect(t.complaints).toEqual([]);
    await t.close();
  });

  it("cuts names before their methods", async () => {
    await view("flask");
    await page.focus(".outline");
    const cut = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>(".line .method:has(.class)")]
      .filter((m) => m.querySelector<HTMLElement>(".class")!.clientWidth > 30)
      .filter((m) => m.querySelector<HTMLElement>(".name")!.scrollWidth > m.querySelector<HTMLElement>(".name")!.clientWidth + 1).length);
    expect(cut).toBe(0);
  });

  it("leads from a task to its place in the whole run, and back", async () => {
    await view("tasks");
    await page.click("#task-0");
    await page.waitForSelector(".line.current");
    await page.focus(".outline");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
    const name = await page.locator(".detail h2").innerText();
    const energy = await page.locator(".detail tbody td").first().innerText();
    await page.click("text=Show in whole run");
    await page.waitForURL(/#run/);
    expect(await page.locator(".strip b").innerText()).toBe(name);
    expect(await page.locator(".strip").innerText()).toContain(energy);
    await page.focus("canvas");
    await page.keyboard.press("f");
    await page.waitForURL(/#flask\//);
    expect(await page.locator(".detail h2").innerText()).toBe(name);
    await page.focus(".outline");
    await page.keyboard.press("w");
    await page.click(".strip >> text=Flask of TextView.setText");
    expect(await page.locator(".headline h2").innerText()).toBe("TextView.setText");
  });

  it("says how long methods ran, and what they were made from on both sides", async () => {
    await view("flask");
    await page.focus(".outline");
    await page.keyboard.press("Home");
    const cells = await texts(page, ".detail tr:has-text('with callees') td");
    const { subject, reference } = data.report;
    expect(cells.slice(3, 5)).toEqual([subject, reference].map((i) => `${(i.cpuTimeNS / 1e9).toFixed(2)} s`));
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    expect(await page.locator(".detail h2").innerText()).toBe("*.run");
    expect(await texts(page, ".detail h3")).toEqual(["Made from, here", "Made from, there"]);
  });

  it("lists methods over all call paths, with callers and callees", async () => {
    await view("top");
    const figures = async (column: number) =>
      (await texts(page, `.methods tbody td:nth-of-type(${column})`)).map((t) => parseFloat(t.replace(/[^\d.−]/g, "").replace("−", "-")) || 0);
    const self = await figures(2);
    expect(self.length).toBeGreaterThan(5);
    await page.click(".methods thead >> text=All");
    const there = await figures(5);
    const all = (await figures(4)).map((here, i) => Math.max(here, there[i]!));
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    await page.fill(".toolbar input[type=search]", "textview.settext");
    const overloads = await names(page, ".methods tbody .method");
    expect(overloads.length).toBe(3);
    for (const name of overloads) expect(name).toMatch(/^TextView\.setText\(/);
    await page.click(".methods tbody tr");
    expect(await page.locator(".around h2").innerText()).toContain("TextView.setText");
    const callers = await names(page, ".links:first-child .method");
    expect(callers).toContain("TrackElapsedTimeView.show");
    await shoot(page, "top");
    // A caller leads on to its own callers and callees.
    await page.click(".links:first-child .pick");
    expect(await page.locator(".around h2").innerText()).toContain(callers[0]);
    expect(await names(page, ".links:last-of-type .method")).toContain(overloads[0]);
    await page.fill(".toolbar input[type=search]", "");
    await page.click(".methods thead >> text=Self");
  });

  it("adds up", async () => {
    await view("summary");
    const s = data.report.summary;
    expect(s.matchedNJ + s.unmatchedNJ + s.outsideTasksNJ).toBe(data.report.subject.energyNJ);
    const here = async (rows: string) => (await texts(page, `.card:first-child tbody ${rows} td:nth-child(2)`)).map((t) => parseFloat(t.replace(/\s/g, "")));
    const shown = await here("tr:not(.dim)");
    const outside = await here("tr.dim");
    const total = parseFloat((await page.locator(".card:first-child tfoot td").first().innerText()).replace(/\s/g, ""));
    expect(Math.abs(shown.reduce((a, b) => a + b) - total)).toBeLessThan(1.6);
    expect(outside.length).toBeGreaterThan(1);
    expect(Math.abs(outside.reduce((a, b) => a + b) - shown.at(-1)!)).toBeLessThan(1.6);
    expect(await page.locator(".sides tbody tr").count()).toBeGreaterThan(3);
    for (const card of ["package", "thread"]) {
      const [here, there] = (await texts(page, `.card:has-text("Energy by ${card}") tfoot td`)).slice(1).map((t) => t.replace(/\s/g, ""));
      expect(Number(here)).toBe(total);
      expect(Number(there)).toBe(Math.round(data.report.reference.energyNJ / 1e6));
    }
    const { used } = data.report.alpha;
    expect(await texts(page, ".alphas tbody tr th")).toEqual(["0", "1", "2", "3", "4", "5"].map((n) => (n === String(used) ? `${n} used` : n)));
    await page.selectOption(".unit", "µAh");
    expect(await page.locator(".card:first-child tfoot td").first().innerText()).toBe("155");
    await page.selectOption(".unit", "mJ");
  });

  it("has nothing serious for axe in any view, light, dark or of high contrast, wide or narrow", async () => {
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 1280, height: 800 } },
      { colorScheme: "dark" as const, viewport: { width: 700, height: 800 } },
      { contrast: "more" as const, viewport: { width: 1280, height: 800 } },
      { forcedColors: "active" as const, viewport: { width: 700, height: 800 } },
    ]) {
      const a = await open(browser, path, options);
      for (const tab of ["tasks", "flask", "run", "top", "summary"]) {
        await a.page.click(`#tab-${tab}`);
        await settled(a.page);
        await shoot(a.page, `${tab}-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
        expect(await serious(a.page), `${tab} ${JSON.stringify(options)}`).toEqual([]);
      }
      expect(a.complaints).toEqual([]);
      await a.close();
    }
  });

  it("has nothing serious for axe with filters, searches and details open, and nothing to show", async () => {
    const unlike = { code: "length", message: "the recordings last 2 s and 9 s: longer ones drain more" };
    const nothing: Data = { ...data, report: { ...data.report, tasks: [], appCode: [], comparability: [unlike] } };
    const without = replaceData(path, "nothing", nothing);
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 700, height: 800 } },
      { forcedColors: "active" as const, colorScheme: "dark" as const, viewport: { width: 1280, height: 800 } },
    ]) {
      const a = await open(browser, path, options);
      const check = async (what: string, on = a) => {
        await shoot(on.page, `${what}-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
        expect(await serious(on.page), `${what} ${JSON.stringify(options)}`).toEqual([]);
      };
      await a.page.locator(".chip", { hasText: "dearer" }).click();
      await a.page.check("text=By calling class");
      await check("filtered");
      expect(await a.page.locator(".unlike").count()).toBe(0);
      await a.page.fill("input[type=search]", "no such thing");
      await check("no task fits");
      await a.page.click("#tab-run");
      await a.page.fill("input[type=search]", "view");
      await a.page.press("input[type=search]", "Enter");
      await a.page.check("text=Only what differs");
      await a.page.click("details.about summary");
      await check("found, with details");
      await a.page.click("text=Outline");
      await check("found in the outline");
      expect(a.complaints).toEqual([]);
      await a.close();
      const b = await open(browser, without, options);
      await b.page.waitForSelector("text=has no tasks");
      expect(await b.page.locator(".unlike").innerText()).toContain("longer ones drain more");
      await check("no tasks", b);
      await b.page.click("#tab-flask");
      await check("no flask", b);
      expect(b.complaints).toEqual([]);
      await b.close();
    }
  });

  it("shows hostile names as text, everywhere", async () => {
    const evil: Data = structuredClone(data);
    for (const f of [...Object.values(evil.flasks), evil.run, evil.top]) f.labels = f.labels.map((l, i) => (i % 2 ? hostile : l));
    for (const t of evil.report.tasks) {
      t.method = hostile;
      t.path = t.path.map(() => hostile);
      t.callers = t.callers.map((c) => ({ ...c, method: hostile, file: hostile }));
      t.threads = [hostile, ...t.threads];
    }
    for (const c of evil.report.appCode) {
      c.method = c.file = hostile;
      c.parts = c.parts.map((p) => ({ ...p, method: hostile, callback: hostile, file: hostile }));
    }
    for (const p of [...evil.report.packages, ...evil.report.threads]) p.name = hostile;
    evil.report.subject.path = hostile;
    evil.report.warnings = evil.report.comparability = [{ code: "x", message: hostile }];
    const e = await open(browser, replaceData(path, "hostile", evil));
    for (const tab of ["tasks", "flask", "run", "top", "summary"]) {
      await e.page.click(`#tab-${tab}`);
      await settled(e.page);
      expect(await e.page.locator("img, #app script").count()).toBe(0);
      expect(await e.page.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined();
    }
    expect(await e.page.locator("#view").innerText()).toContain("<img src=x onerror=");
    expect(e.complaints).toEqual([]);
    await e.close();
  });

  it("keeps to its content security policy", async () => {
    const c = await open(browser, path);
    const tried = await c.page.evaluate(async () => {
      const refused: string[] = [];
      document.addEventListener("securitypolicyviolation", (v) => refused.push(v.effectiveDirective));
      const image = new Image();
      image.src = "https://example.invalid/x.png";
      const script = document.createElement("script");
      let markup = "taken";
      try {
        script.textContent = "globalThis.hit = 1";
        document.body.append(script);
      } catch { /* trusted types refuse it */ }
      try {
        document.body.insertAdjacentHTML("beforeend", "<b>x</b>");
      } catch { markup = "refused"; }
      await fetch("https://example.invalid/").catch(() => refused.push("fetch"));
      await new Promise((done) => setTimeout(done, 50));
      return { refused, markup, hit: (globalThis as { hit?: number }).hit };
    });
    expect(tried.markup).toBe("refused");
    expect(tried.hit).toBeUndefined();
    expect(tried.refused).toEqual(expect.arrayContaining(["img-src", "connect-src", "fetch"]));
    expect(c.requests.filter((r) => !r.startsWith("file:"))).toEqual([]);
    await c.close();
  });

  it("says so where a tree is not in the file, and opens at an address", async () => {
    const less: Data = { ...data, flasks: {} };
    const bare = replaceData(path, "bare", less);
    const b = await open(browser, bare);
    await b.page.click("#tab-flask");
    await b.page.waitForSelector("[role=alert] >> text=--top");
    await b.page.goto(`file://${bare}#summary`);
    await b.page.waitForSelector("section.summary");
    expect(b.complaints).toEqual([]);
    await b.close();
  });

  it("never complained, never asked for anything", () => {
    expect(o.complaints).toEqual([]);
    expect(o.requests).toEqual([`file://${path}`]);
  });

  it.skipIf(!recorded("likaci-cpu_trace.trace"))("stays below 3 MB for the largest pair of recordings", async () => {
    const large = compare("large", recorded("likaci-cpu_trace.trace"), recorded("firefox-art-streaming.trace.gz"));
    expect(readFileSync(large).length).toBeLessThan(3e6);
    const l = await open(browser, large);
    for (const tab of ["flask", "run", "top", "summary"]) {
      await l.page.click(`#tab-${tab}`);
      await settled(l.page);
    }
    expect(l.complaints).toEqual([]);
    await l.close();
  });
});
