import { describe, expect, it } from "vitest";
import { browserPath, names, open, pandora, sample, shoot, single, texts } from "./browser";

describe.skipIf(!browserPath())("top and summary", () => {
  const f = pandora();

  it("lists methods over all call paths, with callers and callees", async () => {
    await f.view("top");
    const figures = async (column: number) =>
      (await texts(f.page, `.methods tbody td:nth-of-type(${column})`)).map((t) => parseFloat(t.replace(/[^\d.−]/g, "").replace("−", "-")) || 0);
    const self = await figures(2);
    expect(self.length).toBeGreaterThan(5);
    await f.page.click(".methods thead >> text=All");
    const there = await figures(5);
    const all = (await figures(4)).map((here, i) => Math.max(here, there[i]!));
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    await f.page.fill(".toolbar input[type=search]", "textview.settext");
    const overloads = await names(f.page, ".methods tbody .method");
    expect(overloads.length).toBe(3);
    for (const name of overloads) expect(name).toMatch(/^TextView\.setText\(/);
    await f.page.click(".methods tbody tr");
    expect(await f.page.locator(".around h2").innerText()).toContain("TextView.setText");
    const callers = await names(f.page, ".links:first-child .method");
    expect(callers).toContain("TrackElapsedTimeView.show");
    await shoot(f.page, "top");
    // A click on a caller shows its own callers and callees.
    await f.page.click(".links:first-child .pick");
    expect(await f.page.locator(".around h2").innerText()).toContain(callers[0]);
    expect(await names(f.page, ".links:last-of-type .method")).toContain(overloads[0]);
    await f.page.fill(".toolbar input[type=search]", "");
    await f.page.click(".methods thead >> text=Self");
  });

  it("adds up", async () => {
    await f.view("summary");
    const s = f.data.report.summary;
    expect(s.matchedNJ + s.unmatchedNJ + s.outsideTasksNJ).toBe(f.data.report.subject.energyNJ);
    const here = async (rows: string) => (await texts(f.page, `.card:first-child tbody ${rows} td:nth-child(2)`)).map((t) => parseFloat(t.replace(/\s/g, "")));
    const shown = await here("tr:not(.dim)");
    const outside = await here("tr.dim");
    const total = parseFloat((await f.page.locator(".card:first-child tfoot td").first().innerText()).replace(/\s/g, ""));
    expect(Math.abs(shown.reduce((a, b) => a + b) - total)).toBeLessThan(1.6);
    expect(outside.length).toBeGreaterThan(1);
    expect(Math.abs(outside.reduce((a, b) => a + b) - shown.at(-1)!)).toBeLessThan(1.6);
    expect(await f.page.locator(".sides tbody tr").count()).toBeGreaterThan(3);
    for (const card of ["package", "thread"]) {
      const [here, there] = (await texts(f.page, `.card:has-text("Energy by ${card}") tfoot td`)).slice(1).map((t) => t.replace(/\s/g, ""));
      expect(Number(here)).toBe(total);
      expect(Number(there)).toBe(Math.round(f.data.report.reference.energyNJ / 1e6));
    }
    const { used } = f.data.report.alpha;
    expect(await texts(f.page, ".alphas tbody tr th")).toEqual(["0", "1", "2", "3", "4", "5"].map((n) => (n === String(used) ? `${n} used` : n)));
    await f.page.selectOption(".unit", "µAh");
    expect(await f.page.locator(".card:first-child tfoot td").first().innerText()).toBe("155");
    await f.page.selectOption(".unit", "mJ");
  });

  it("shows one run by itself", async () => {
    const o = await open(f.browser, single("one", sample("subject.trace.gz")));
    expect(await texts(o.page, "[role=tab]")).toEqual(["The run", "Top", "Energy", "Summary"]);
    await o.page.waitForSelector("canvas");
    expect(await o.page.locator(".strip").innerText()).toMatch(/^\(toplevel\)\s+2\s068 mJ$/);
    await o.page.fill("input[type=search]", "setText");
    await o.page.press("input[type=search]", "Enter");
    await expect.poll(() => o.page.locator(".strip b").innerText()).toBe("TextView.setText");
    await o.page.click("text=Outline");
    await o.page.waitForSelector(".line.current.hit >> text=TextView.setText");
    expect(await o.page.locator(".pill").count()).toBe(0);
    await o.page.click("#tab-top");
    await o.page.fill("input[type=search]", "scheduleTraversals");
    await o.page.keyboard.press("Tab");
    expect(await o.page.locator(".around h2").innerText()).toBe("ViewRootImpl.scheduleTraversals");
    expect(await names(o.page, ".links:first-child .method")).toEqual(["ViewRootImpl.requestLayout"]);
    await o.page.click("#tab-summary");
    expect(await o.page.locator(".inputs").innerText()).toContain("2\u202f068 mJ");
    // A warning about cut calls also contains the word that is searched for.
    expect((await o.page.locator("#view").innerText()).replace("they are cut there", "")).not.toMatch(/there|reference/);
    await o.page.waitForURL(/#summary/);
    expect(await o.page.title()).toContain("subject.trace.gz");
    expect(o.complaints).toEqual([]);
    await o.close();
  });
});
