// All views are readable in each kind of theme.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Code, missing } from "./code.ts";

const why = missing();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe.skipIf(why)(`VS Code in all kinds of themes${why && `: ${why}`}`, () => {
  const code = new Code("themes");
  let folder = "";

  beforeAll(async () => {
    await code.start();
    folder = code.copySample("themes");
    await code.open(folder, { "diffprof.lineHeat": true });
    await code.show();
    await code.openTask("TextView.setText", "TrackElapsedTimeView.java");
    // The cursor is in the line of the call, so no picker opens.
    await code.page.locator(".statusbar-item", { hasText: /Ln (?!1,)/ }).waitFor();
    await code.command("Diffprof: Show the Flask");
    await code.flask();
    await code.webview().locator(".headline h2", { hasText: "TextView.setText" }).waitFor();
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await code.picture("failed");
  });

  afterAll(() => code.remove());

  it.each([
    ["light", "Default Light Modern", "vs", 0.79],
    ["dark", "Default Dark Modern", "vs-dark", 0.79],
    ["high-contrast", "Default High Contrast", "hc-black", 1],
    ["high-contrast-light", "Default High Contrast Light", "hc-light", 1],
  ])("is readable in a %s theme", async (name, theme, style, least) => {
    code.set(folder, { "workbench.colorTheme": theme });
    await code.page.locator(`.monaco-workbench.${style}`).waitFor();
    const sign = code.tasks("TextView.setText").first().locator(".custom-view-tree-node-item-icon").first();
    await expect.poll(() => sign.evaluate((e) => getComputedStyle(e).backgroundImage)).toContain(name.endsWith("light") ? "-light.svg" : "-dark.svg");
    // A theme's colours change one after another.
    await expect.poll(async () => (await code.heat()).map(({ kept }) => kept >= least)).toEqual([true]);
    await code.hover(code.page.locator(".view-line span span", { hasText: /^setText$/ }).first(), code.page.locator(".monaco-hover a", { hasText: "Show the flask" }).first());
    await code.picture(`${name}-hover`);
    await code.page.keyboard.press("Escape");
    for (const [view, shown] of [["Flask", ".outline .line.s2"], ["Whole run", "canvas"], ["Summary", "text=How much is matched"]] as const) {
      await code.webview().getByRole("tab", { name: view }).click();
      await code.webview().locator(shown).first().waitFor();
      await code.picture(`${name}-${view.replace(/\W/g, "").toLowerCase()}`);
      expect(await code.unreadable(axe)).toEqual([]);
    }
  });
});
