// The page of a group of apps, on a page that the program writes.

import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Group } from "../src/group";
import { amount, percent, unitFor } from "../src/units";
import { browserPath, launch, open, sample, shoot, violations, written } from "./browser";

describe.skipIf(!browserPath())("group", () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());

  const apps = ["--no-cache", `new=${sample("reference.trace")}`, `old=${sample("subject.trace.gz")}`, `spotify=${sample("../spotify-pandora83/subject.trace.gz")}`];
  const page = () => written("group.html", "group", "--format", "html", ...apps);
  const told = () => JSON.parse(readFileSync(written("group.json", "group", "--format", "json", ...apps), "utf8")) as Group;

  it("has the figures of its JSON in its tables", async () => {
    const group = told();
    const o = await open(browser, page());
    await o.page.waitForSelector("[role=tab][aria-selected=true] >> text=Apps");
    const unit = unitFor(group.apps.reduce((most, a) => Math.max(most, a.energyNJ), 0));
    const rows = await o.page.locator("table.apps tbody tr").allInnerTexts();
    group.apps.forEach((a, i) => expect(rows[i]!.split(/\s*\t\s*/)).toEqual([a.name, amount(a.energyNJ, unit), String(a.tasks), ...a.with.map(String), percent(a.uniqueShare), ...a.exactWith.map(String)]));
    await o.page.click("#tab-common");
    const cells = (of: number) => o.page.locator("table.heat").nth(of).locator("tbody tr").first().locator("td .share").allInnerTexts();
    const first = group.pairs.filter((p) => p.a === 0);
    expect((await cells(0)).map((c) => parseInt(c))).toEqual(first.map((p) => Math.round(100 * p.tasks)));
    expect((await cells(1)).map((c) => parseInt(c))).toEqual(first.map((p) => Math.round(100 * p.methods)));
    await o.page.hover("table.heat >> nth=0 >> [data-at='1 2']");
    await o.page.waitForSelector(`.celltext >> text=old and spotify: ${percent(group.pairs[2]!.tasks)} of their tasks match`);
    await o.page.click("#tab-ranking");
    expect(await o.page.locator(".ranking tbody tr").count()).toBe(Math.min(group.total, 200));
    expect(await o.page.locator(".ranking tbody tr td:last-child").first().innerText()).toBe(amount(group.duties[0]!.roomNJ, unit));
    expect(o.complaints).toEqual([]);
    await o.close();
  });

  it("leads by keys from the ranking to the call trees of any app next to the cheapest", async () => {
    const group = told();
    const o = await open(browser, page());
    const { keyboard } = o.page;
    await o.page.waitForSelector("table.apps");
    await keyboard.press("3");
    await o.page.fill("input[type=search]", "formatElapsedTime");
    await keyboard.press("Escape");
    await o.page.waitForSelector(".ranking tbody tr");
    const at = group.duties.findIndex((d) => d.short === "DateUtils.formatElapsedTime");
    const { users } = group.duties[at]!;
    expect(users.length).toBe(3);
    await keyboard.press("Home");
    await keyboard.press("Enter");
    const heading = (text: string) => o.page.waitForSelector(`.outline .columns >> text=here: ${text}`);
    await heading(group.apps[users[2]!.app]!.name);
    expect(await o.page.locator(".outline [role=row]").count()).toBeGreaterThan(3);
    await keyboard.press("{");
    await heading(group.apps[users[1]!.app]!.name);
    expect(new URL(o.page.url()).hash).toContain(encodeURIComponent(`${at}/1`));
    await o.page.reload();
    await heading(group.apps[users[1]!.app]!.name);
    await keyboard.press("Escape");
    await o.page.waitForSelector("[role=tab][aria-selected=true] >> text=Rankings");
    await keyboard.press("2");
    await o.page.locator("table.heat [data-at='0 0']").first().focus();
    await keyboard.press("ArrowRight");
    await o.page.waitForSelector(".celltext >> text=new and old:");
    expect(o.complaints).toEqual([]);
    await o.close();
  });

  it("gives axe nothing to find, and nothing leaves the window, light, dark or forced, wide or narrow", async () => {
    const file = page();
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 1300, height: 900 } },
      { colorScheme: "dark" as const, viewport: { width: 800, height: 900 } },
      { colorScheme: "light" as const, viewport: { width: 320, height: 800 } },
      { forcedColors: "active" as const, viewport: { width: 700, height: 800 } },
    ]) {
      const o = await open(browser, file, options);
      for (const tab of ["apps", "common", "ranking", "flask"]) {
        await o.page.click(`#tab-${tab}`);
        await o.page.waitForSelector(`.view.${tab} :is(table, .outline .columns)`);
        await shoot(o.page, `group-${tab}-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
        expect(await violations(o.page), `${tab} ${JSON.stringify(options)}`).toEqual([]);
        expect(await o.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${tab} ${JSON.stringify(options)}`).toBe(true);
      }
      await o.close();
    }
  });
});
