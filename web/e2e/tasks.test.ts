import { describe, expect, it } from "vitest";
import { browserPath, focused, names, pandora, texts } from "./browser";

describe.skipIf(!browserPath())("tasks", () => {
  const f = pandora();

  it("lists tasks worst first and sorts them both ways by each column", async () => {
    await f.view("tasks");
    const first = () => f.page.locator("#task-0 .method").textContent();
    expect(await first()).toBe("TextView.setText");
    const figures = async (column: string) => (await texts(f.page, `.lines .${column}`)).map((t) => parseFloat(t.replace(/[^\d.−<]/g, "").replace("−", "-")) || 0);
    for (const [name, column] of [["Here", "here .figure"], ["Own", "own"]]) {
      await f.page.click(`[role=columnheader] >> text=${name}`);
      const down = await figures(column);
      expect(down).toEqual(down.toSorted((a, b) => b - a));
      await f.page.click(`[role=columnheader] >> text=${name}`);
      expect(await f.page.locator("[aria-sort=ascending]").innerText()).toContain(name);
      const up = await figures(column);
      expect(up).toEqual(up.toSorted((a, b) => a - b));
    }
    await f.page.click("[role=columnheader] >> text=Saving");
    expect(await first()).toBe("TextView.setText");
  });

  it("filters by text, status and package, and groups by calling class", async () => {
    await f.view("tasks");
    await f.page.keyboard.press("/");
    await f.page.keyboard.type("trackelapsed settext");
    expect(await names(f.page, ".lines .method")).toContain("TextView.setText");
    expect(await f.page.locator(".note").innerText()).toContain(`of ${f.data.report.tasks.length} tasks`);
    await f.page.fill("input[type=search]", "");
    const chip = (name: string) => f.page.locator(".chip", { hasText: name });
    await chip("only here").click();
    const only = [...f.data.report.tasks, ...f.data.report.appCode].filter((t) => t.verdict === "only here").length;
    expect(await f.page.locator(".lines .row").count()).toBe(only);
    expect(await chip("only here").locator(".figure").innerText()).toBe(String(only));
    expect(await chip("only here").getAttribute("aria-pressed")).toBe("true");
    await chip("All").click();
    await f.page.selectOption("[aria-label='Package of the caller']", "com.pandora.android.view");
    expect(await f.page.locator(".lines .row").count()).toBeGreaterThan(0);
    expect(await f.page.locator(".lines .row").count()).toBeLessThan(f.data.report.tasks.length);
    await f.page.selectOption("[aria-label='Package of the caller']", "");
    const thread = f.data.report.tasks.find((t) => t.threads[0] !== f.data.report.tasks[0].threads[0])!.threads[0];
    await f.page.selectOption("[aria-label=Thread]", { label: thread });
    expect((await texts(f.page, ".lines .second")).join()).not.toContain("TrackElapsedTimeView.show");
    expect(await f.page.locator(".lines .row").count()).toBe([...f.data.report.tasks, ...f.data.report.appCode].filter((t) => t.threads.includes(thread)).length);
    await f.page.selectOption("[aria-label=Thread]", "any");
    await f.page.selectOption("[aria-label='Group by']", "class");
    expect(await f.page.locator(".heading").first().innerText()).toContain("TrackElapsedTimeView");
    await f.page.selectOption("[aria-label='Group by']", "");
    await f.page.fill("input[type=search]", "no such thing");
    await f.page.click("text=Show all tasks");
    expect(await f.page.locator(".lines .row").count()).toBeGreaterThan(5);
  });

  it("works by keyboard from the list to a flask and back", async () => {
    await f.view("tasks");
    await f.page.focus(".grid");
    await f.page.keyboard.press("Home");
    await f.page.keyboard.press("ArrowDown");
    await f.page.keyboard.press("j");
    expect(await f.page.locator(".row.current").getAttribute("id")).toBe("task-2");
    expect(await f.page.locator(".grid").getAttribute("aria-activedescendant")).toBe("task-2");
    await f.page.keyboard.press("End");
    expect(await f.page.locator(".row.current").innerText()).toContain(String(f.data.report.tasks.length));
    await f.page.keyboard.press("Home");
    await f.page.keyboard.press("Enter");
    expect(await f.page.locator(".headline h2").innerText()).toBe("TextView.setText");
    await f.page.waitForURL(/#flask\//);
    await focused(f.page, ".outline");
    for (const [key, place] of [["]", "2 of"], ["[", "1 of"]]) {
      await f.page.keyboard.press(key);
      await f.page.waitForSelector(`.turn >> text=${place}`);
      await focused(f.page, ".outline");
    }
    await f.page.keyboard.press("w");
    await focused(f.page, "canvas");
    await f.page.keyboard.press("f");
    await focused(f.page, ".outline");
    await f.page.keyboard.press("Escape");
    await focused(f.page, ".grid");
    await f.page.focus("#tab-tasks");
    for (let i = 0; i < 4; i++) await f.page.keyboard.press("ArrowRight");
    await focused(f.page, "#tab-summary");
    await f.page.waitForSelector(".view.summary");
    for (let i = 0; i < 4; i++) await f.page.keyboard.press("Tab");
    await focused(f.page, ".view.summary");
  });
});
