import { describe, expect, it } from "vitest";
import { browserPath, open, pandora, replaceData, sample, settled, shoot, single, violations, type Data } from "./browser";

describe.skipIf(!browserPath())("axe", () => {
  const f = pandora();

  it("gives axe nothing to find in any view, light, dark or of high contrast, wide or narrow", async () => {
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 1280, height: 800 } },
      { colorScheme: "dark" as const, viewport: { width: 700, height: 800 } },
      { contrast: "more" as const, viewport: { width: 1280, height: 800 } },
      { forcedColors: "active" as const, viewport: { width: 700, height: 800 } },
    ]) {
      const a = await open(f.browser, f.path, options);
      for (const tab of ["tasks", "flask", "run", "top", "summary"]) {
        await a.page.click(`#tab-${tab}`);
        await settled(a.page);
        await shoot(a.page, `${tab}-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
        expect(await violations(a.page), `${tab} ${JSON.stringify(options)}`).toEqual([]);
      }
      expect(a.complaints).toEqual([]);
      await a.close();
    }
  });

  it("gives axe nothing to find for a single run", async () => {
    const path = single("one", sample("subject.trace.gz"));
    for (const options of [{ colorScheme: "light" as const }, { colorScheme: "dark" as const, viewport: { width: 390, height: 800 } }]) {
      const a = await open(f.browser, path, options);
      expect(await a.page.locator(".runview .inshort").innerText()).toMatch(/^2.068 mJ.* The methods with the most energy of their own: \S+ \d/);
      for (const tab of ["run", "top", "summary"]) {
        await a.page.click(`#tab-${tab}`);
        await settled(a.page);
        expect(await violations(a.page), `${tab} ${JSON.stringify(options)}`).toEqual([]);
      }
      await a.page.click("#tab-run");
      await a.page.click("text=Outline");
      await a.page.keyboard.press("?");
      await settled(a.page);
      expect(await violations(a.page), `outline and keys ${JSON.stringify(options)}`).toEqual([]);
      expect(a.complaints).toEqual([]);
      await a.close();
    }
  });

  it("gives axe nothing to find with filters, searches and details open, and without data", async () => {
    const unlike = { code: "length", message: "the recordings last 2 s and 9 s: longer ones use more" };
    const nothing: Data = { ...f.data, report: { ...f.data.report, tasks: [], appCode: [], comparability: [unlike] } };
    const without = replaceData(f.path, "nothing", nothing);
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 700, height: 800 } },
      { forcedColors: "active" as const, colorScheme: "dark" as const, viewport: { width: 1280, height: 800 } },
    ]) {
      const a = await open(f.browser, f.path, options);
      const check = async (what: string, on = a) => {
        await shoot(on.page, `${what}-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
        expect(await violations(on.page), `${what} ${JSON.stringify(options)}`).toEqual([]);
      };
      await a.page.locator(".chip", { hasText: "costs more" }).click();
      await a.page.selectOption("[aria-label='Group by']", "class");
      await check("filtered");
      expect(await a.page.locator(".unlike").count()).toBe(0);
      await a.page.fill("input[type=search]", "no such thing");
      await check("no task matches");
      await a.page.click("#tab-run");
      await a.page.fill("input[type=search]", "view");
      await a.page.press("input[type=search]", "Enter");
      await a.page.uncheck("text=Only what differs");
      await a.page.click("details.about summary");
      await check("found, with details");
      await a.page.click("text=Outline");
      await check("found in the outline");
      expect(a.complaints).toEqual([]);
      await a.close();
      const b = await open(f.browser, without, options);
      await b.page.waitForSelector("text=has no tasks");
      expect(await b.page.locator(".unlike").innerText()).toContain("longer ones use more");
      await check("no tasks", b);
      await b.page.click("#tab-flask");
      await check("no flask", b);
      expect(b.complaints).toEqual([]);
      await b.close();
    }
  });
});
