// The API costs of a single run, on a page that the program writes.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { amount, percent, unitFor } from "../src/units";
import { browserPath, launch, open, shoot, violations, written } from "./browser";

const dump = `  Estimated power use (mAh):
    Capacity: 3000, Computed drain: 208, actual drain: 750-760
    Uid 1000: 180 ( wake=0.00124 radio=0.0174 sensor=180 )
    Screen: 26
    Uid u0a122: 2.00 ( cpu=1.5 wifi=0.5 )
`;

interface Costs {
  input: { energyNJ: number };
  apiCosts: { routines: { averageNJ: number; calls: number; share: number }[]; apis: { energyNJ: number; calls: number }[]; missing: unknown[] };
}

describe.skipIf(!browserPath())("API costs", () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());

  const folder = resolve(import.meta.dirname, "../../testdata/apicosts");
  const run = ["--api-costs", join(folder, "costs.csv"), "--battery", "3000mAh", "--activity", "browsing=9.5"];
  const trace = join(folder, "new.trace");
  const page = () => {
    const first = written("apis.html", "profile", "--format", "html", ...run, trace);
    const stats = join(first, "..", "dump.txt");
    writeFileSync(stats, dump);
    return written("apis.html", "profile", "--format", "html", "--battery-stats", stats, ...run, trace);
  };

  it("is the first view, and has the figures of its JSON", async () => {
    const profile = JSON.parse(execFileSync("cat", [written("apis.json", "profile", "--format", "json", ...run, trace)]).toString()) as Costs;
    const o = await open(browser, page());
    await o.page.waitForSelector("[role=tab][aria-selected=true] >> text=API costs");
    const unit = unitFor(profile.input.energyNJ);
    const rows = async (title: string) => o.page.locator(`.card:has(h2:text-is("${title}")) tbody tr`).allInnerTexts();
    const routines = await rows("App methods, by average cost of a call");
    expect(routines.length).toBe(profile.apiCosts.routines.length);
    profile.apiCosts.routines.forEach((r, i) => {
      for (const figure of [amount(r.averageNJ, unit), String(r.calls), percent(r.share)]) expect(routines[i]).toContain(figure);
    });
    expect((await rows("Called APIs")).length).toBe(profile.apiCosts.apis.length);
    expect((await rows("Calls without a cost")).length).toBe(profile.apiCosts.missing.length);
    expect((await rows("Android\u2019s estimate of the whole phone, by component"))[0]).toContain("sensors");
    expect(await o.page.locator(".notes").innerText()).toContain("do not trust the shares of components");
    expect(o.complaints).toEqual([]);
    await o.close();
  });

  it("gives axe nothing to find, and fits wide and narrow windows", async () => {
    const file = page();
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 1440, height: 900 } },
      { colorScheme: "dark" as const, viewport: { width: 390, height: 844 } },
      { forcedColors: "active" as const, viewport: { width: 700, height: 800 } },
    ]) {
      const o = await open(browser, file, options);
      await o.page.waitForSelector(".apis");
      await shoot(o.page, `apis-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
      expect(await violations(o.page), JSON.stringify(options)).toEqual([]);
      expect(await o.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await o.close();
    }
  });
});
