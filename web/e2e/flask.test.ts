import { describe, expect, it } from "vitest";
import { browserPath, open, pandora, replaceData, settled, shoot, texts, type Data } from "./browser";

describe.skipIf(!browserPath())("flask", () => {
  const f = pandora();

  it("draws the two flasks on the same rows and links matched rows", async () => {
    await f.view("tasks");
    await f.page.click("#task-0");
    await settled(f.page);
    await shoot(f.page, "flask");
    await f.page.waitForSelector(".drawing .link", { state: "attached" });
    const links = await f.page.evaluate(() => {
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
    const off = await f.page.evaluate(() => {
      const top = document.querySelector(".outline .canvas")!.getBoundingClientRect().top;
      const rows = [...document.querySelectorAll(".line:not(.cheap)")].map((l) => l.getBoundingClientRect().top + 15 - top);
      const nodes = [...document.querySelectorAll<SVGElement>(".drawing .subject .node")].map((n) => Number(n.getAttribute("cy")));
      return nodes.filter((y) => !rows.some((r) => Math.abs(r - y) < 1)).length;
    });
    expect(off).toBe(0);
    expect(await f.page.locator(".line.s2 .pill").first().innerText()).toContain("only here");
  });

  it("shows the main cause of the difference, and leads there", async () => {
    await f.view("tasks");
    await f.page.click("#task-0");
    expect(await f.page.locator(".lead").innerText()).toContain("Most of the difference is under ViewRootImpl.scheduleTraversals, which the reference does not call there.");
    await f.page.click("text=Fold all");
    await f.page.click(".lead >> text=Show it");
    await f.page.waitForSelector(".line.current >> text=scheduleTraversals");
    expect(await f.page.locator(".detail h2").innerText()).toBe("ViewRootImpl.scheduleTraversals");
    await f.page.focus(".outline");
    await f.page.keyboard.press("Home");
    for (let i = 0; i < 4; i++) await f.page.keyboard.press("ArrowDown");
  });

  it("folds, unfolds, shows details and copies names, by keyboard", async () => {
    await f.view("tasks");
    await f.page.click("#task-0");
    await f.page.waitForSelector(".line.current");
    await f.page.focus(".outline");
    const count = () => f.page.locator(".outline").getAttribute("aria-rowcount").then(Number);
    const before = await count();
    await f.page.keyboard.press("ArrowLeft");
    expect(await count()).toBeLessThan(before);
    expect(await f.page.locator(".line.current").getAttribute("aria-expanded")).toBe("false");
    await f.page.keyboard.press("ArrowRight");
    expect(await count()).toBe(before);
    await f.page.keyboard.press("ArrowRight");
    await f.page.keyboard.press("ArrowUp");
    await f.page.keyboard.press("ArrowUp");
    expect(await f.page.locator(".detail h2").innerText()).toBe("*.run");
    expect(await f.page.locator(".sources").first().innerText()).toContain("TrackElapsedTimeView.java");
    await f.page.keyboard.press("c");
    await f.page.waitForFunction(() => document.querySelector(".message")?.textContent?.includes("copied") || document.querySelector(".message")?.textContent?.includes("Copied"));
    const more = f.page.locator(".more").first();
    if (await more.count()) {
      await more.click();
      expect(await count()).toBeGreaterThan(before);
    }
    await f.page.click("text=Fold all");
    await f.page.click("text=Unfold all");
    expect(await count()).toBeGreaterThanOrEqual(before);
    const name = await f.page.locator(".headline h2").innerText();
    await f.page.keyboard.press("]");
    await f.page.waitForFunction((was) => document.querySelector(".headline h2")?.textContent !== was, name);
  });

  it("shows both names of a relabelled row, calls at the edges, and the number of folded rows", async () => {
    const twins: Data = structuredClone(f.data);
    const id = f.data.report.tasks[0].id;
    for (const f of [twins.flasks[id], twins.run]) {
      const row = f.rows.status.findIndex((status, i) => status === 0 && f.rows.part[i] === 2 && f.rows.subjectCalls![i] > 1);
      f.rows.status[row] = 1;
      f.rows.referenceLabel[row] = f.labels.push("com.other.Twin.call()V") - 1;
    }
    const t = await open(f.browser, replaceData(f.path, "twins", twins));
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

  it("cuts a class before its method, and keeps the first letters of both", async () => {
    await f.view("flask");
    await f.page.focus(".outline");
    const widths = await f.page.evaluate(() => [...document.querySelectorAll<HTMLElement>(".line .method:has(.class)")].map((m) => {
      const [type, name] = [m.querySelector<HTMLElement>(".class")!, m.querySelector<HTMLElement>(".name")!];
      return { type: type.clientWidth, name: name.clientWidth, cut: name.scrollWidth > name.clientWidth + 1 };
    }));
    expect(widths.length).toBeGreaterThan(5);
    expect(Math.min(...widths.map((w) => Math.min(w.type, w.name)))).toBeGreaterThan(15);
    for (const { type } of widths.filter((w) => w.cut)) expect(type).toBeLessThan(60);
  });

  it("shows the times of methods, and the methods merged into them on both sides", async () => {
    await f.view("flask");
    await f.page.focus(".outline");
    await f.page.keyboard.press("Home");
    const cells = await texts(f.page, ".detail tr:has-text('with callees') td");
    const { subject, reference } = f.data.report;
    expect(cells.slice(3, 5)).toEqual([subject, reference].map((i) => `${(i.cpuTimeNS / 1e9).toFixed(2)} s`));
    for (let i = 0; i < 3; i++) await f.page.keyboard.press("ArrowDown");
    expect(await f.page.locator(".detail h2").innerText()).toBe("*.run");
    expect(await texts(f.page, ".detail h3")).toEqual(["Merged from, here", "Merged from, there"]);
  });
});
