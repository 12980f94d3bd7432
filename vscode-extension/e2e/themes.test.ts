// All views in each kind of theme: they can be read.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Code, missing } from "./code.ts";

const why = missing();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe.skipIf(why)(`VS Code in all kinds of themes${why && `: ${why}`}`, () => {
  const code = new Code("themes");

  beforeAll(() => code.start());

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await code.picture("failed");
    await code.close();
  });

  afterAll(() => code.remove());

  it.each([
    ["light", "Default Light Modern", 0.79],
    ["dark", "Default Dark Modern", 0.79],
    ["high-contrast", "Default High Contrast", 1],
    ["high-contrast-light", "Default High Contrast Light", 1],
  ])("can be read in a %s theme", async (name, theme, least) => {
    await code.open(code.copySample(name), { "workbench.colorTheme": theme, "diffprof.heat.enabled": true });
    await code.show();
    await code.tasks("TextView.setText").first().click();
    await code.pick("TrackElapsedTimeView");
    await expect.poll(() => code.heat(), { timeout: 20_000 }).toHaveLength(2);
    for (const { text, kept } of await code.heat()) expect(kept, `the contrast of ${text}`).toBeGreaterThanOrEqual(least);
    await code.picture(`${name}-editor`);
    await code.page.locator(".view-line span span", { hasText: /^setText$/ }).first().hover();
    await code.page.locator(".monaco-hover a", { hasText: "Show the flask" }).first().waitFor();
    await code.picture(`${name}-hover`);
    await code.page.keyboard.press("Escape");
    for (const view of ["Flask…", "Whole Run", "Summary"]) {
      await code.command(`Diffprof: Show the ${view}`);
      if (view === "Flask…") await code.pick("TextView.setText");
      await code.webview().getByRole("tab", { name: view.replace("…", ""), selected: true }).waitFor();
      await code.webview().locator({ "Flask…": "text=scheduleTraversals", "Whole Run": "canvas", Summary: "text=How well they match" }[view]!).first().waitFor();
      await code.picture(`${name}-${view.replace(/\W/g, "").toLowerCase()}`);
      expect(await code.unreadable(axe)).toEqual([]);
    }
  });
});
