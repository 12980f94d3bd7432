// Pages of sentences, tables and charts: the trend of a history, and answers about a fleet.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, launch, open, program, shoot, texts, violations } from "./browser";

describe.skipIf(!browserPath())("articles", () => {
  let browser: Browser;
  const folder = mkdtempSync(join(tmpdir(), "articles-"));
  const run = (...args: string[]) => execFileSync(program(), args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
  const page = (name: string) => join(folder, `${name}.html`);

  beforeAll(async () => {
    browser = await launch();
    // The app costs more from the fourth commit on, and a name of it is markup.
    for (let i = 1; i <= 8; i++) {
      mkdirSync(join(folder, `${i}`));
      for (let k = 1; k <= 3; k++) {
        writeFileSync(join(folder, `${i}/${k}.folded`), `android.os.Looper.loop;com.mine.<b>Feed.onClick;android.graphics.Bitmap.compress ${(i < 4 ? 1_000_000 : 1_400_000) + 1000 * k + i}\n`);
      }
      run("history", "add", "--no-config", "--folded-unit", "nJ", "--commit", `${i}111111aaaa`, "--time", `2026-03-0${i}T12:00:00Z`, "--device", "phone", `${i}`);
    }
    run("history", "trend", "--no-config", "--format", "html", "-o", page("trend"));
    run("fleet", "simulate", "--clients", "80", "--apps", "60", "--hogs", "4", "--innocent", "12", "--days", "3", "-o", "s.csv");
    run("fleet", "analyze", "s.csv", "-o", "f.dp");
    run("fleet", "hogs", "f.dp", "--format", "html", "-o", page("hogs"));
    const { hogs } = JSON.parse(run("fleet", "hogs", "f.dp", "--format", "json"));
    run("fleet", "explain", "f.dp", hogs[0].app, "--format", "html", "-o", page("explain"));
    run("fleet", "bugs", "f.dp", "--format", "html", "-o", page("bugs"));
    run("fleet", "suggest", "f.dp", hogs[0].app, "--format", "html", "-o", page("suggest"));
    run("fleet", "score", "f.dp", "--format", "html", "-o", page("score"));
    run("fleet", "actions", "f.dp", "--client", "client000000", "--format", "html", "-o", page("actions"));
  });
  afterAll(() => browser?.close());

  it("draws the trend with each entry, and lists the entries", async () => {
    const o = await open(browser, page("trend"));
    expect(await o.page.title()).toBe("8 entries, 24 runs, phone – diffprof");
    expect(await texts(o.page, ".article p.worse")).toEqual([expect.stringMatching(/^costs .* more .*since 4111111/)]);
    expect(await o.page.locator(".plot .whole").count()).toBe(8);
    expect(await o.page.locator(".plot .single").count()).toBe(24);
    expect(await o.page.locator(".plot .rule text").textContent()).toBe("+39.9% since 4111111");
    await o.page.click("summary");
    expect(await o.page.locator(".article tbody tr").count()).toBe(8);
    expect(o.complaints).toEqual([]);
    expect(o.requests).toEqual([`file://${page("trend")}`]);
    await o.close();
  });

  it("shows the figures of a fleet", async () => {
    const { hogs, leftOut } = JSON.parse(run("fleet", "hogs", "f.dp", "--format", "json"));
    const o = await open(browser, page("hogs"));
    const apps = hogs.map((h: { app: string }) => expect.stringContaining(h.app));
    const reasons = leftOut.map((l: { what: string }) => l.what);
    expect(reasons).not.toEqual([]);
    expect(await texts(o.page, ".article tbody th")).toEqual([...apps, ...reasons]);
    // Each hog has a bar without it and a longer one with it, on one scale.
    const lengths = await o.page.locator(".bars").evaluateAll((all) => all.map((b) => [".without", ".with"].map((s) => b.querySelector(s)!.getBoundingClientRect().width)));
    expect(lengths.length).toBe(hogs.length);
    for (const [i, [without, withIt]] of lengths.entries()) {
      const { referencePercentPerSecond: rate, excessPercentPerSecond: excess } = hogs[i];
      expect(withIt! / without!).toBeCloseTo((rate + excess) / rate, 1);
      expect(without! / lengths[0]![0]!).toBeCloseTo(rate / hogs[0].referencePercentPerSecond, 1);
    }
    await o.close();
    const e = await open(browser, page("explain"));
    expect(await e.page.locator(".plot .trace").count()).toBe(3);
    expect(await e.page.locator(".plot .band").count()).toBe(1);
    expect(await e.page.locator(".conditions li").count()).toBeGreaterThan(0);
    expect([...o.complaints, ...e.complaints]).toEqual([]);
    await e.close();
  });

  it("gives axe nothing to find, and nothing leaves the window", async () => {
    for (const options of [
      { colorScheme: "light" as const, viewport: { width: 1440, height: 900 } },
      { colorScheme: "dark" as const, viewport: { width: 390, height: 844 } },
      { forcedColors: "active" as const, viewport: { width: 320, height: 800 } },
    ]) {
      for (const name of ["trend", "hogs", "bugs", "suggest", "explain", "score", "actions"]) {
        const o = await open(browser, page(name), options);
        await shoot(o.page, `article-${name}-${JSON.stringify(options).replace(/[^a-z0-9]+/gi, "-")}`);
        expect(await violations(o.page), `${name} ${JSON.stringify(options)}`).toEqual([]);
        await o.close();
      }
    }
  });
});
