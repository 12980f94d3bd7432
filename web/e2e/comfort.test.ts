// Usability of the page: headline, callers, room for the drawing, links, keys, paper, files.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { browserPath, focused, open, pandora, replaceData, settled, shoot, texts, type Data } from "./browser";

describe.skipIf(!browserPath())("comfort", () => {
  const f = pandora();

  it("shows the first finding and its place without a click, and leads there", async () => {
    await f.view("tasks");
    expect(await texts(f.page, ".inshort p")).toEqual([`${f.data.headline[0]} Show TextView.setText`, f.data.headline.slice(1).join(" ")]);
    expect(f.data.headline.join(" ")).toContain("TextView.setText: 581 mJ here, 9.86 mJ in reference (59 times); called from TrackElapsedTimeView.show.");
    expect(await texts(f.page, ".inshort p:first-child b")).toEqual([f.data.headline[0]]);
    await f.page.click(".inshort >> text=Show TextView.setText");
    expect(await f.page.locator(".callers").innerText()).toBe("Called by TrackElapsedTimeView.show (TrackElapsedTimeView.java).");
  });

  it("shows sentences in the unit that the reader chooses", async () => {
    const o = await open(f.browser, f.path);
    const energies = async (selector: string) => (await texts(o.page, selector)).join(" ").match(/\d[\d.,\u202f]* (J|mJ|µJ|nJ|µAh)\b/g)!;
    const made = await texts(o.page, ".inshort p");
    for (const unit of ["µAh", "J", "nJ", "mJ"]) {
      await o.page.click("#tab-tasks");
      await o.page.selectOption(".unit", unit);
      await expect.poll(async () => (await energies(".inshort")).map((e) => e.split(" ").at(-1))).toEqual((await energies(".inshort")).map(() => unit));
      await o.page.click("#task-0");
      await expect.poll(async () => [...new Set((await energies(".figures")).map((e) => e.split(" ").at(-1)))]).toEqual([unit]);
    }
    await o.page.click("#tab-summary");
    expect(new Set((await energies(".sentences")).map((e) => e.split(" ").at(-1)))).toEqual(new Set(["mJ"]));
    // An address without a unit shows the page's own unit.
    const again = await open(f.browser, `${f.path}#tasks`);
    expect(await texts(again.page, ".inshort p")).toEqual(made);
    expect(o.complaints.concat(again.complaints)).toEqual([]);
    await o.close();
    await again.close();
  });

  it("shows that equal runs have nothing to save, and shows them anyway on request", async () => {
    const same: Data = structuredClone(f.data);
    same.headline = ["Both runs use the same."];
    same.report.judgement.headline.first = "";
    same.report.reference = { ...same.report.subject };
    same.report.appCode = [];
    for (const t of same.report.tasks) Object.assign(t, { verdict: "the same", counts: false, savingNJ: 0, peer: t.peer && { ...t.peer, energyNJ: t.energyNJ } });
    same.report.tasks.sort((a, b) => b.energyNJ - a.energyNJ).forEach((t, i) => (t.rank = i + 1));
    same.run.rows = { ...same.run.rows, referenceNJ: same.run.rows.subjectNJ, referenceSelfNJ: same.run.rows.subjectSelfNJ, status: same.run.rows.status.map(() => 0), prunedReferenceNJ: same.run.rows.prunedSubjectNJ };
    const e = await open(f.browser, replaceData(f.path, "same", same));
    expect(await texts(e.page, ".inshort p")).toEqual([same.headline[0], same.headline.slice(1).join(" ")].filter(Boolean));
    expect(await e.page.locator(".lines .counts").count()).toBe(0);
    expect(await texts(e.page, ".lines .here .figure")).toEqual((await texts(e.page, ".lines .here .figure")).toSorted((a, b) => parseFloat(b) - parseFloat(a)));
    await e.page.click("#tab-run");
    await e.page.click("text=Show both runs anyway");
    await e.page.waitForSelector("canvas");
    expect(e.complaints).toEqual([]);
    await e.close();
  });

  it("leaves two thirds of every pane to the list and the drawing", async () => {
    for (const [width, height] of [[1440, 900], [1024, 640], [900, 430], [640, 400], [390, 844]] as const) {
      const o = await open(f.browser, f.path, { viewport: { width, height } });
      const share = async (selector: string) => (await o.page.locator(selector).boundingBox())!.height / height;
      // In a narrow pane, the sentences about reliability take more lines.
      expect(await share(".grid"), `list at ${width}x${height}`).toBeGreaterThan(width < 500 ? 0.55 : 0.62);
      await o.page.click("#task-0");
      await o.page.waitForSelector(".outline .line");
      await shoot(o.page, `flask-${width}x${height}`);
      expect(await share(".outline"), `flask at ${width}x${height}`).toBeGreaterThan(2 / 3);
      await o.page.click("#tab-run");
      await o.page.waitForSelector("canvas");
      expect(await share(".stage"), `run at ${width}x${height}`).toBeGreaterThan(2 / 3);
      expect(o.complaints).toEqual([]);
      await o.close();
    }
    // Below some height the page scrolls.
    const o = await open(f.browser, f.path, { viewport: { width: 640, height: 150 } });
    expect(await o.page.evaluate(() => document.scrollingElement!.scrollHeight)).toBeGreaterThan(200);
    await o.close();
  });

  it("cuts nothing off in narrow panes: two trees, or one tree of both with both figures", async () => {
    for (const [width, columns] of [[530, 3], [500, 3], [430, 2], [320, 2]] as const) {
      const o = await open(f.browser, f.path, { viewport: { width, height: 800 } });
      const over = (selector: string) => o.page.locator(selector).first().evaluate((e) => e.scrollWidth - e.clientWidth);
      expect(await over("html"), `list at ${width}`).toBeLessThanOrEqual(0);
      await o.page.click("#task-0");
      await o.page.waitForSelector(".outline .line");
      await shoot(o.page, `narrow-${width}`);
      for (const part of ["html", ".outline"]) expect(await over(part), `${part} at ${width}`).toBeLessThanOrEqual(0);
      expect(await o.page.locator(".outline [role=columnheader]").count()).toBe(columns);
      expect((await texts(o.page, ".line.p1 .cell")).join(" ")).toMatch(/581.*9\.86/s);
      for (const tab of ["run", "top", "summary"]) {
        await o.page.click(`#tab-${tab}`);
        await settled(o.page);
        await shoot(o.page, `narrow-${width}-${tab}`);
        expect(await over("html"), `${tab} at ${width}`).toBeLessThanOrEqual(0);
      }
      expect(o.complaints).toEqual([]);
      await o.close();
    }
  });

  it("shows the reliability of the first figures, and both names, in windows of any size", async () => {
    const unlike = ["the recordings last 2 s and 9 s: longer ones use more", "the subject was sampled every 2.12 ms, the reference every 5.76 ms: numbers of samples do not compare"];
    const doubtful: Data = { ...f.data, report: { ...f.data.report, comparability: unlike.map((message) => ({ code: "x", message })) } };
    const path = replaceData(f.path, "doubtful", doubtful);
    for (const [width, height] of [[1440, 900], [1366, 625], [390, 844]] as const) {
      const o = await open(f.browser, path, { viewport: { width, height } });
      await settled(o.page);
      await shoot(o.page, `doubtful-${width}x${height}`);
      for (const message of unlike) expect(await o.page.locator(".inshort").innerText()).toContain(message);
      const cut = await o.page.evaluate(() => {
        const bottom = document.querySelector("#task-0")!.getBoundingClientRect().bottom;
        const all = [...document.querySelectorAll<HTMLElement>(".inshort p, .subject, .reference")];
        const hidden = (e: HTMLElement) => {
          const { top, bottom, width } = e.getBoundingClientRect();
          return width < 20 || top < 0 || bottom > innerHeight || (e.matches("p") && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1));
        };
        return bottom > innerHeight ? ["the first row"] : all.filter(hidden).map((e) => e.innerText);
      });
      expect(cut, `${width} × ${height}`).toEqual([]);
      expect(await o.page.locator(".inshort p").count()).toBeGreaterThan(2);
      expect(o.complaints).toEqual([]);
      await o.close();
    }
  });

  it("hides and shows the text around the drawing", async () => {
    const o = await open(f.browser, f.path, { viewport: { width: 800, height: 500 } });
    await o.page.click("#task-0");
    expect(await o.page.locator(".figures").count()).toBe(0);
    expect(await o.page.locator(".brief").innerText()).toBe("581 mJ here, 9.86 mJ in reference (59 times)");
    expect(await o.page.locator(".callers").isVisible()).toBe(true);
    await o.page.click("[aria-label='Text around the drawing']");
    expect(await o.page.locator(".figures").isVisible()).toBe(true);
    expect(await o.page.locator("[aria-label='Text around the drawing']").getAttribute("aria-expanded")).toBe("true");
    await o.page.click("[aria-label='Text around the drawing']");
    // The list mentions active filters that are hidden.
    await o.page.goto(`file://${f.path}#tasks?verdict=dearer`);
    const rows = [...f.data.report.tasks, ...f.data.report.appCode];
    expect(await o.page.locator(".shown").innerText()).toBe(`${rows.filter((t) => t.verdict === "dearer here").length} of ${rows.length} match the filters`);
    await o.close();
  });

  it("keeps the view, the filters, the search, the zoom and the unit in the address", async () => {
    const o = await open(f.browser, f.path);
    await o.page.fill("input[type=search]", "view");
    await o.page.locator(".chip", { hasText: "costs more" }).click();
    await o.page.selectOption(".unit", "µAh");
    await o.page.waitForURL(/#tasks\?.*q=view.*verdict=dearer.*unit=/);
    await o.page.click("#tab-run");
    await o.page.fill("input[type=search]", "measure");
    await o.page.press("input[type=search]", "Enter");
    await o.page.click("[aria-label='Zoom in']");
    await o.page.waitForURL(/find=measure.*zoom=.*tree=/);
    await settled(o.page);
    const url = o.page.url();
    const name = await o.page.locator(".strip b").innerText();
    const again = await open(f.browser, `${f.path}${new URL(url).hash}`);
    await again.page.waitForSelector("canvas");
    await expect.poll(() => again.page.locator(".strip b").innerText()).toBe(name);
    expect(await again.page.inputValue("input[type=search]")).toBe("measure");
    expect(await again.page.inputValue(".unit")).toBe("µAh");
    await again.page.click("#tab-tasks");
    expect(await again.page.inputValue("input[type=search]")).toBe("view");
    // Go back to the run, with its zoom.
    await again.page.click("#tab-run");
    await again.page.waitForURL((u) => u.hash === new URL(url).hash);
    expect(o.complaints.concat(again.complaints)).toEqual([]);
    await o.close();
    await again.close();
  });

  it("restores folds, and follows the browser's buttons", async () => {
    await f.view("tasks");
    await f.page.click("#task-0");
    await f.page.click("text=Fold all");
    await f.page.waitForURL(/tree=/);
    const rows = await f.page.locator(".outline").getAttribute("aria-rowcount");
    const again = await open(f.browser, `${f.path}${new URL(f.page.url()).hash}`);
    await again.page.waitForSelector(`.outline[aria-rowcount='${rows}']`);
    await again.close();
    await f.page.click("text=Unfold all");
    await f.view("top");
    await f.page.goBack();
    await f.page.waitForSelector("[role=tab][aria-selected=true] >> text=Flask");
    expect(await f.page.title()).toMatch(/^Flask: TextView\.setText – subject\.trace\.gz compared with reference\.trace/);
  });

  it("shows a message for a link of another report", async () => {
    const o = await open(f.browser, `${f.path}#flask/doesnotexist`);
    await o.page.waitForSelector("[role=alert] >> text=does not list");
    await o.page.click("text=To the tasks");
    await o.page.waitForSelector("#task-0");
    await o.page.goto(`file://${f.path}#flask/${f.data.report.tasks[0]!.id}?tree=zz.1`);
    await o.page.waitForSelector(".notice >> text=has changed");
    await o.page.click(".notice button");
    expect(await o.page.locator(".notice").count()).toBe(0);
    await o.close();
  });

  it("handles keys at once, also after a click, and lists them", async () => {
    const o = await open(f.browser, f.path);
    await focused(o.page, ".grid");
    await o.page.keyboard.press("ArrowDown");
    expect(await o.page.locator(".row.current").getAttribute("id")).toBe("task-1");
    await o.page.keyboard.press("Home");
    await o.page.keyboard.press("Enter");
    await o.page.click("text=Show it");
    await o.page.keyboard.press("w");
    await o.page.waitForSelector("canvas");
    await o.page.keyboard.press("?");
    await o.page.waitForSelector("dialog[open] >> text=caller, callee, neighbours");
    await o.page.keyboard.press("Escape");
    await o.page.waitForSelector("dialog", { state: "detached" });
    for (const [key, tab] of [["4", "top"], ["1", "tasks"]] as const) {
      await o.page.keyboard.press(key);
      await o.page.waitForSelector(`.view.${tab}`);
    }
    // The previous and next task follow the list's filter and order.
    const filtered = o.page.locator("input[type=search]");
    await filtered.fill("prog");
    const ids = await o.page.locator(".lines .row:not(:has(.rank abbr)) .first .method").allTextContents();
    await o.page.keyboard.press("o");
    expect(await filtered.inputValue()).toBe("progo");
    await filtered.fill("prog");
    await o.page.click("#task-0");
    await o.page.waitForSelector(".turn >> text=1 of");
    await o.page.keyboard.press("]");
    await o.page.waitForSelector(".turn >> text=2 of");
    expect(await o.page.locator(".headline h2").innerText()).toBe(ids[1]);
    // The search appears with the call trees, which load later.
    await o.page.waitForSelector(".outline");
    await o.page.keyboard.press("/");
    await o.page.keyboard.type("x");
    await o.page.keyboard.press("Escape");
    await focused(o.page, ".outline");
    await o.page.keyboard.press("Escape");
    await o.page.waitForSelector(".grid");
    expect(o.complaints).toEqual([]);
    await o.close();
  });

  it("finds undrawn rows, in a flask and in the run", async () => {
    await f.view("tasks");
    await f.page.click("#task-0");
    await f.page.click("text=Fold all");
    const box = () => f.page.locator(".toolbar").boundingBox();
    const before = await box();
    await f.page.fill(".finder input", "nativeScheduleVsync");
    expect(await box()).toEqual(before);
    await f.page.press(".finder input", "Enter");
    await f.page.waitForSelector(".line.current.hit >> text=nativeScheduleVsync");
    await f.page.fill(".finder input", "setText");
    await f.page.focus(".outline");
    await f.page.keyboard.press("n");
    const first = await f.page.locator(".results").innerText();
    await f.page.keyboard.press("n");
    await f.page.keyboard.press("N");
    expect(await f.page.locator(".results").innerText()).toBe(first);
    await f.page.fill(".finder input", "");
  });

  it("prints all rows, with the colours of their bars", async () => {
    const many: Data = structuredClone(f.data);
    const [task] = many.report.tasks;
    many.report.tasks = Array.from({ length: 300 }, (_, i) => ({ ...task!, id: `${i}`, savingNJ: 300 - i }));
    const o = await open(f.browser, replaceData(f.path, "many", many));
    expect(await o.page.locator(".lines .row").count()).toBeLessThan(60);
    await o.page.emulateMedia({ media: "print" });
    await expect.poll(() => o.page.locator(".lines .row").count()).toBe(300 + many.report.appCode.length);
    const looks = await o.page.evaluate(() => {
      const rows = [...document.querySelectorAll(".lines .row")].map((r) => r.getBoundingClientRect());
      const bar = getComputedStyle(document.querySelector(".bar.here")!);
      return { overlap: rows.some((r, i) => i > 0 && r.top < rows[i - 1]!.bottom - 1), adjust: bar.getPropertyValue("print-color-adjust"), bar: bar.backgroundColor };
    });
    expect(looks).toEqual({ overlap: false, adjust: "exact", bar: "rgb(240, 138, 75)" });
    await o.close();
  });

  it("saves pictures and tables, in which names are text", async () => {
    const o = await open(f.browser, f.path);
    const saved = async (button: string): Promise<Buffer> => {
      const [download] = await Promise.all([o.page.waitForEvent("download"), o.page.click(`button.small >> text="${button}"`)]);
      expect(download.suggestedFilename()).toMatch(new RegExp(`^diffprof-[\\w.-]+\\.${button.toLowerCase()}$`));
      return readFileSync((await download.path())!);
    };
    // The page's policy forbids parsing markup.
    const blank = await o.page.context().newPage();
    const parsed = (svg: Buffer) => blank.evaluate((text) => {
      const root = new DOMParser().parseFromString(text, "image/svg+xml");
      return { errors: root.querySelectorAll("parsererror").length, texts: [...root.querySelectorAll("text")].map((t) => t.textContent) };
    }, svg.toString());
    const rows = (await saved("CSV")).toString().trimEnd().split("\r\n");
    expect(rows.length - 1).toBe(f.data.report.tasks.length + f.data.report.appCode.length);
    await o.page.click("#task-0");
    const flask = await parsed(await saved("SVG"));
    expect(flask.errors).toBe(0);
    expect(flask.texts).toEqual(expect.arrayContaining(["here: subject.trace.gz", "TextView.setText", "581", "+571", "+ only here"]));
    expect((await saved("PNG")).subarray(1, 4).toString()).toBe("PNG");
    await o.page.click("#tab-run");
    await o.page.waitForSelector("canvas");
    const run = await parsed(await saved("SVG"));
    expect([run.errors, run.texts.includes("TextView.setText")]).toEqual([0, true]);
    expect((await saved("PNG")).length).toBeGreaterThan(10_000);
    await o.page.click("#tab-top");
    expect((await saved("CSV")).toString()).toMatch(/^method,label,owner,selfNJ,/);
    expect(o.complaints).toEqual([]);
    await o.close();
  });
});
