// The manifest agrees with the code: every offered command exists, and every command can be
// found.

import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compressions, extensions } from "../src/formats.ts";
import { steps } from "../src/heat.ts";
import { signs } from "../src/list.ts";
import { traceName } from "../src/text.ts";

const root = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const code = readFileSync(join(root, "src/commands.ts"), "utf8");
const contributes = manifest.contributes;
const declared: string[] = contributes.commands.map((c: { command: string }) => c.command);

describe("manifest", () => {
  it("declares the commands that are registered", () => {
    const all = /const all[^{]*= \{([\s\S]*?)\n    \};/.exec(code)?.[1] ?? "";
    const registered = [...all.matchAll(/^      (\w+):/gm)].map((m) => `diffprof.${m[1]}`);
    expect(registered.sort()).toEqual([...declared].sort());
  });

  it("refers to declared commands and to existing pictures", () => {
    const text = JSON.stringify(contributes);
    for (const [, name] of text.matchAll(/command:(diffprof\.\w+)\)/g)) expect(declared).toContain(name);
    for (const menu of Object.values(contributes.menus) as { command: string }[][])
      for (const item of menu) expect(declared).toContain(item.command);
    for (const [, file] of text.matchAll(/"(media\/[^"]+)"/g)) expect(existsSync(join(root, file!)), file).toBe(true);
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const pictures = [...readme.matchAll(/\]\(https:\/\/github\.com\/diffprof\/diffprof\/raw\/main\/([^)]+)\)/g)].map((m) => m[1]!);
    expect(pictures.length).toBeGreaterThan(0);
    for (const file of pictures) expect(existsSync(join(root, "..", file)), file).toBe(true);
  });

  it("opens a trace by a click, and all other recordings on request", () => {
    const [trace, others]: { viewType: string; priority: string; selector: { filenamePattern: string }[] }[] = contributes.customEditors;
    const patterns = (names: readonly string[]) => names.flatMap((n) => ["", ...compressions.map((c) => `.${c}`)].map((c) => ({ filenamePattern: `*.${n}${c}` })));
    const viewer = readFileSync(join(root, "src/viewer.ts"), "utf8");
    for (const editor of contributes.customEditors) expect(viewer).toContain(`"${editor.viewType}"`);
    expect([trace!.priority, trace!.selector]).toEqual(["default", patterns(["trace"])]);
    expect([others!.priority, others!.selector]).toEqual(["option", patterns([...new Set(extensions)].filter((e) => e !== "trace"))]);
  });

  it("has a sign for each verdict, in light and dark themes", () => {
    const view = readFileSync(join(root, "src/tasksView.ts"), "utf8");
    for (const verdict of Object.keys(signs)) {
      const [, file] = new RegExp(`"?${verdict}"?: "(\\w+)"`).exec(view)!;
      for (const theme of ["light", "dark"]) expect(existsSync(join(root, `media/signs/${file}-${theme}.svg`)), `${file}-${theme}`).toBe(true);
    }
  });

  it("registers the server for assistants under its declared name", () => {
    const [provider] = contributes.mcpServerDefinitionProviders;
    expect(readFileSync(join(root, "src/assistant.ts"), "utf8")).toContain(`"${provider.id}"`);
  });

  it("starts only for a project's file, its views and its commands", () => {
    expect(manifest.activationEvents).toEqual(["workspaceContains:diffprof.yaml", "onWebviewPanel:diffprof.report"]);
  });

  it("offers to compare the files that pickers list", () => {
    const when: string = contributes.menus["explorer/context"][0].when;
    expect(when).toContain(`resourceFilename =~ /${traceName.source}/`);
  });

  it("has a colour of its own for each step of heat, in all kinds of themes", () => {
    const colours: { id: string; defaults: Record<string, string> }[] = contributes.colors.filter((c: { id: string }) => c.id.startsWith("diffprof.heat"));
    const ids = Array.from({ length: steps }, (_, i) => [`diffprof.heat${i + 1}`, `diffprof.heat${i + 1}Background`]).flat();
    expect(colours.map((c) => c.id)).toEqual(ids);
    for (const theme of ["dark", "light", "highContrast", "highContrastLight"])
      expect(new Set(colours.filter((c) => !c.id.endsWith("Background")).map((c) => c.defaults[theme])).size).toBe(steps);
  });

  // VS Code 1.92 was the first with a Chromium of 123 or newer: Electron 30 has 124.
  it("requires a VS Code that supports the web view", () => {
    const target = /"chrome(\d+)"/.exec(readFileSync(join(root, "../web/vite.config.ts"), "utf8"))?.[1];
    expect([manifest.engines.vscode, Number(target) <= 124]).toEqual(["^1.92.0", true]);
    expect(manifest.engines.vscode).toBe(`^${manifest.devDependencies["@types/vscode"]}`);
  });

  it("separates its own settings from the server's", () => {
    const generated = Object.keys(JSON.parse(readFileSync(join(root, "settings.json"), "utf8")).properties);
    const own = Object.keys(contributes.configuration[0].properties);
    expect(own.filter((k) => generated.includes(k))).toEqual([]);
    const server = readFileSync(join(root, "src/server.ts"), "utf8");
    for (const key of new Set(own.map((k) => k.split(".")[1]))) expect(server).toMatch(new RegExp(`\\{ [^}]*\\b${key}: _+`));
  });

  it("has no address in its lock file", () => {
    expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved"|https?:\/\/registry/);
  });
});
