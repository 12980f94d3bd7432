import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hostile } from "../test/fixtures";
import { browserPath, compare, open, pandora, recorded, replaceData, settled, type Data } from "./browser";

describe.skipIf(!browserPath())("trust", () => {
  const f = pandora();

  it("shows hostile names as text, everywhere", async () => {
    const evil: Data = structuredClone(f.data);
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
    const e = await open(f.browser, replaceData(f.path, "hostile", evil));
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
    const c = await open(f.browser, f.path);
    const tried = await c.page.evaluate(async () => {
      const refused: string[] = [];
      // The events arrive after the refusal.
      const both = new Promise<void>((done) => document.addEventListener("securitypolicyviolation", (v) => {
        refused.push(v.effectiveDirective);
        if (refused.includes("img-src") && refused.includes("connect-src")) done();
      }));
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
      await both;
      return { refused, markup, hit: (globalThis as { hit?: number }).hit };
    });
    expect(tried.markup).toBe("refused");
    expect(tried.hit).toBeUndefined();
    expect(tried.refused).toEqual(expect.arrayContaining(["img-src", "connect-src", "fetch"]));
    expect(c.requests.filter((r) => !r.startsWith("file:"))).toEqual([]);
    await c.close();
  });

  it("shows a message if a tree is not in the file, and opens at an address", async () => {
    const less: Data = { ...f.data, flasks: {} };
    const bare = replaceData(f.path, "bare", less);
    const b = await open(f.browser, bare);
    await b.page.click("#tab-flask");
    await b.page.waitForSelector("[role=alert] >> text=--top");
    await b.page.goto(`file://${bare}#summary`);
    await b.page.waitForSelector("section.summary");
    expect(b.complaints).toEqual([]);
    await b.close();
  });

  it.skipIf(!recorded("likaci-cpu_trace.trace"))("stays below 3 MB for the largest pair of recordings", async () => {
    const large = compare("large", recorded("likaci-cpu_trace.trace"), recorded("firefox-art-streaming.trace.gz"));
    expect(readFileSync(large).length).toBeLessThan(3e6);
    const l = await open(f.browser, large);
    for (const tab of ["flask", "run", "top", "summary"]) {
      await l.page.click(`#tab-${tab}`);
      await settled(l.page);
    }
    expect(l.complaints).toEqual([]);
    await l.close();
  });
});
