import { describe, expect, it } from "vitest";
import { browserPath, pandora, settled, shoot } from "./browser";

describe.skipIf(!browserPath())("whole run", () => {
  const f = pandora();

  it("draws both runs, and zooms, searches and moves by keyboard", async () => {
    await f.view("run");
    await shoot(f.page, "run");
    const inked = () => f.page.evaluate(() => {
      const c = document.querySelector("canvas")!;
      const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true })!;
      copy.drawImage(c, 0, 0);
      const pixels = copy.getImageData(0, 0, c.width, c.height).data;
      let sum = 0;
      for (let i = 0; i < pixels.length; i += 4) if (pixels[i] !== pixels[0] || pixels[i + 2] !== pixels[2]) sum = (sum * 31 + i) | 0;
      return sum;
    });
    await expect.poll(inked).not.toBe(0);
    await settled(f.page);
    const whole = await inked();
    await f.page.focus("canvas");
    for (let i = 0; i < 5; i++) await f.page.keyboard.press("ArrowDown");
    await f.page.keyboard.press("ArrowRight");
    await expect.poll(() => f.page.locator(".strip b").innerText()).not.toBe("(toplevel)");
    await settled(f.page);
    const moved = await inked();
    await f.page.keyboard.press("Enter");
    await expect.poll(inked).not.toBe(moved);
    await f.page.fill("input[type=search]", "setText");
    expect(await f.page.locator(".results").innerText()).toMatch(/^\d+ (found|of \d+)$/);
    await f.page.press("input[type=search]", "Enter");
    await expect.poll(() => f.page.locator(".strip b").innerText()).toContain("setText");
    await f.page.fill("input[type=search]", "");
    // Observers are called in order: the app has drawn before this one runs.
    const pixel = await f.page.evaluate(() => new Promise<number[]>((resolve) => {
      const c = document.querySelector("canvas")!;
      const width = c.width;
      new ResizeObserver((_, observer) => {
        if (c.width === width) return void (c.parentElement!.style.maxWidth = "90%");
        observer.disconnect();
        const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
        copy.drawImage(c, 0, 1 - c.height);
        resolve([...copy.getImageData(0, 0, 1, 1).data]);
      }).observe(c);
    }));
    expect(pixel.slice(0, 3)).not.toEqual([0, 0, 0]);
    await f.page.evaluate(() => document.querySelector("canvas")!.parentElement!.style.removeProperty("max-width"));
    await f.page.uncheck("text=Only what differs");
    await expect.poll(inked).not.toBe(whole);
    await f.page.check("text=Only what differs");
    await f.page.click("text=Outline");
    await f.page.waitForSelector(".outline .line");
    expect(await f.page.locator(".outline .line").count()).toBeGreaterThan(5);
    await f.page.click("text=Fold all");
    await f.page.fill("input[type=search]", "nativeScheduleVsync");
    await f.page.press("input[type=search]", "Enter");
    await f.page.waitForSelector(".line.current.hit");
    expect(await f.page.locator(".line.current .method").first().textContent()).toContain("nativeScheduleVsync");
    await f.page.fill("input[type=search]", "");
    await f.page.click("text=Icicle");
  });

  it("leads from a task to its place in the whole run, and back", async () => {
    await f.view("tasks");
    await f.page.click("#task-0");
    await f.page.waitForSelector(".line.current");
    await f.page.focus(".outline");
    for (let i = 0; i < 4; i++) await f.page.keyboard.press("ArrowDown");
    const name = await f.page.locator(".detail h2").innerText();
    const energy = await f.page.locator(".detail tbody td").first().innerText();
    await f.page.click("text=Show in whole run");
    await f.page.waitForURL(/#run/);
    expect(await f.page.locator(".strip b").innerText()).toBe(name);
    expect(await f.page.locator(".strip").innerText()).toContain(energy);
    await f.page.focus("canvas");
    await f.page.keyboard.press("f");
    await f.page.waitForURL(/#flask\//);
    expect(await f.page.locator(".detail h2").innerText()).toBe(name);
    await f.page.focus(".outline");
    await f.page.keyboard.press("w");
    await f.page.click(".strip >> text=Flask of TextView.setText");
    expect(await f.page.locator(".headline h2").innerText()).toBe("TextView.setText");
  });
});
