// The energy view of a single run, on a page that the program writes.

import { execFileSync } from "node:child_process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EnergyProfile } from "../src/energy";
import { amount, unitFor } from "../src/units";
import { browserPath, launch, open, recorded, sample, shoot, violations, written } from "./browser";

describe.skipIf(!browserPath())("energy", () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());

  const told = ["--power-model", "passion", sample("subject.trace.gz")];

  it("is the first view of a profile, and has the figures of its JSON", async () => {
    const page = written("energy.html", "profile", "--format", "html", ...told);
    const profile = JSON.parse(execFileSync("cat", [written("energy.json", "profile", "--format", "json", ...told)]).toString()) as EnergyProfile & { input: { energyNJ: number } };
    const o = await open(browser, page);
    await o.page.waitForSelector("[role=tab][aria-selected=true] >> text=Energy");
    const rows = await o.page.locator(".components tbody tr").allInnerTexts();
    expect(rows.length).toBe(profile.components.length);
    const unit = unitFor(profile.input.energyNJ);
    profile.components.forEach((c, i) => expect(rows[i]).toContain(`${c.name}\t${amount(c.useNJ + c.tailNJ + c.restNJ, unit)}`));
    expect(profile.components.reduce((sum, c) => sum + c.useNJ + c.tailNJ + c.restNJ, 0)).toBe(profile.input.energyNJ);
    expect(await o.page.locator(".bundle").count()).toBeGreaterThan(0);
    expect(await o.page.locator(".machine").first().innerText()).toMatch(/^idle[^]+idle$/);
    await o.page.click("#tab-top");
    await o.page.reload();
    await o.page.waitForSelector("[role=tab][aria-selected=true] >> text=Top");
    expect(o.complaints).toEqual([]);
    await o.close();
  });

  it.skipIf(!recorded("firefox-art-streaming.trace.gz"))("draws a component's activity at its time of the run", async () => {
    const trace = recorded("firefox-art-streaming.trace.gz");
    const o = await open(browser, written("energy-streaming.html", "profile", "--format", "html", "--power-model", "lte", trace));
    await o.page.waitForSelector(".timeline");
    // The recording is 9.56 s long, and reads from its disk for the first time after 3.746 s.
    expect(await o.page.locator(".timeline rect title").first().textContent()).toMatch(/^disk, busy: .* from 3\.75 s, /);
    const [axis, block, labels] = await o.page.evaluate(() => {
      const box = (e: Element) => e.getBoundingClientRect();
      return [box(document.querySelector(".timeline svg")!), box(document.querySelector(".timeline svg > g rect")!), [...document.querySelectorAll(".times span")].map((s) => s.textContent)] as const;
    });
    expect((block.x - axis.x) / axis.width).toBeCloseTo(3.746 / 9.561, 2);
    expect(labels).toEqual(["0", "2.00 s", "4.00 s", "6.00 s", "8.00 s"]);
    await o.close();
  });

  it("gives axe nothing to find, light, dark or forced, wide or narrow", async () => {
    const page = written("energy.html", "profile", "--format", "html", ...told);
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 1280, height: 1200 } },
      { colorScheme: "dark" as const, viewport: { width: 390, height: 800 } },
      { forcedColors: "active" as const, viewport: { width: 700, height: 800 } },
    ]) {
      const o = await open(browser, page, options);
      await o.page.waitForSelector(".components");
      await shoot(o.page, `energy-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
      expect(await violations(o.page), JSON.stringify(options)).toEqual([]);
      expect(await o.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await o.close();
    }
  });
});
