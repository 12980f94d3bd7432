// The work of drawing fifty thousand rows. Machines that run tests are busy, so the tests check
// how much is drawn. They only print the times, which come from Chromium's own trace.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRun } from "../test/fixtures";
import { browserPath, compare, launch, open, readData, replaceData, sample, settled } from "./browser";

const rows = 50_000;

/** A Drawing counts what a page draws. */
interface Drawing {
  /** shapes and texts on canvases */
  shapes: number;
  /** elements that were added to the page */
  elements: number;
}

/** count is run in a page before its own scripts. It keeps the page's Drawing up to date. */
function count() {
  const drawing: Drawing = { shapes: 0, elements: 0 };
  (globalThis as any).drawing = drawing;
  const canvas = CanvasRenderingContext2D.prototype as any;
  for (const name of ["rect", "fillRect", "fillText", "fill", "stroke"]) {
    const draw = canvas[name];
    canvas[name] = function (...args: unknown[]) {
      drawing.shapes++;
      return draw.apply(this, args);
    };
  }
  new MutationObserver((changes) => {
    for (const c of changes) {
      for (const n of c.addedNodes) if (n instanceof Element) drawing.elements += 1 + n.querySelectorAll("*").length;
    }
  }).observe(document, { childList: true, subtree: true });
}

const drawn = (page: Page): Promise<Drawing> => page.evaluate(() => ({ ...(globalThis as any).drawing }));

/** spent sums the processor time of the tasks on the page's main thread, in milliseconds. */
function spent(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: { name: string; tdur?: number; pid: number; tid: number }[] };
  const script = traceEvents.find((e) => e.name === "FunctionCall")!;
  return traceEvents.filter((e) => e.name === "RunTask" && e.pid === script.pid && e.tid === script.tid).reduce((sum, e) => sum + (e.tdur ?? 0) / 1000, 0);
}

describe.skipIf(!browserPath())(`a run of ${rows} rows`, () => {
  let browser: Browser;
  let few: string;
  let many: string;

  beforeAll(async () => {
    browser = await launch();
    const small = compare("frames", sample("subject.trace.gz"), sample("reference.trace"));
    few = replaceData(small, "five-thousand", { ...readData(small), run: makeRun(rows / 10, 1) });
    many = replaceData(small, "fifty-thousand", { ...readData(small), run: makeRun(rows, 1) });
  });
  afterAll(() => browser?.close());

  /** measure performs act in a page, prints its times, and returns the number of drawings per frame. */
  async function measure(page: Page, what: string, act: () => Promise<number[] | void>): Promise<Drawing> {
    const before = await drawn(page);
    await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"] });
    const gaps = ((await act()) || []).sort((a, b) => a - b);
    const busy = spent(await browser.stopTracing());
    const after = await drawn(page);
    const frames = Math.max(1, gaps.length);
    const drawing = { shapes: (after.shapes - before.shapes) / frames, elements: (after.elements - before.elements) / frames };
    const at = (share: number) => gaps[Math.floor((gaps.length - 1) * share)]!.toFixed(1);
    const clock = gaps.length ? `, ${at(0.5)} ms from frame to frame (95 %: ${at(0.95)})` : "";
    console.info(`${what}: ${(busy / frames).toFixed(1)} ms of work${clock}, ${drawing.shapes.toFixed(0)} shapes and ${drawing.elements.toFixed(1)} elements a frame`);
    return drawing;
  }

  /** tour shows a run, pans and zooms it, and scrolls its outline. It returns what each step drew. */
  async function tour(path: string): Promise<Record<string, Drawing>> {
    const o = await open(browser, path, {}, count);
    const { page } = o;
    const wheel = (selector: string, change: { deltaX?: number; deltaY?: number; ctrlKey?: boolean }) =>
      page.evaluate(({ selector, change }) => new Promise<number[]>((done) => {
        const target = document.querySelector(selector)!;
        const { left, top, width, height } = target.getBoundingClientRect();
        const times: number[] = [];
        const step = (now: number) => {
          if (times.push(now) > 60) return done(times.slice(1).map((t, i) => t - times[i]!));
          const sign = times.length > 30 ? -1 : 1;
          const event = new WheelEvent("wheel", {
            bubbles: true, cancelable: true, clientX: left + width / 3, clientY: top + height / 2, ctrlKey: change.ctrlKey ?? false,
            deltaX: sign * (change.deltaX ?? 0), deltaY: sign * (change.deltaY ?? 0),
          });
          target.dispatchEvent(event);
          // A synthetic wheel event does not scroll a list, so scroll it here.
          if (!event.defaultPrevented) target.scrollTop += sign * (change.deltaY ?? 0);
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }), { selector, change });
    const steps: Record<string, Drawing> = {};
    const step = async (what: string, act: () => Promise<number[] | void>) => {
      steps[what] = await measure(page, what, act);
    };
    await step("show the run", async () => {
      await page.click("#tab-run");
      await page.waitForSelector("canvas");
      await settled(page);
    });
    await step("zoom in and out", () => wheel("canvas", { deltaY: -12, ctrlKey: true }));
    await page.focus("canvas");
    for (let i = 0; i < 4; i++) await page.keyboard.press("+");
    await step("pan across, zoomed", () => wheel("canvas", { deltaX: 24, deltaY: 6 }));
    await step("pan down", () => wheel("canvas", { deltaY: 30 }));
    await page.click("text=Outline");
    await page.click("text=Unfold all");
    await step("scroll the outline, all unfolded", () => wheel(".outline", { deltaY: 240 }));
    expect(o.complaints).toEqual([]);
    await o.close();
    return steps;
  }

  it("draws about as much a frame as for a tenth of the rows", async () => {
    const [less, more] = [await tour(few), await tour(many)];
    expect(more["pan down"]!.shapes).toBeGreaterThan(0);
    for (const [what, drawing] of Object.entries(more)) {
      expect(drawing.shapes, `${what}: shapes`).toBeLessThanOrEqual(3 * less[what]!.shapes + 10);
      expect(drawing.elements, `${what}: elements`).toBeLessThanOrEqual(3 * less[what]!.elements + 10);
    }
  });
});
