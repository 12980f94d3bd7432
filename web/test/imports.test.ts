import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** circles lists each circle of a graph once, from its first module in the order of names. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const walk = (module: string): void => {
    const at = path.indexOf(module);
    if (at >= 0) return void found.push([...path.slice(at), module]);
    if (done.has(module)) return;
    path.push(module);
    for (const other of graph.get(module) ?? []) walk(other);
    path.pop();
    done.add(module);
  };
  for (const module of [...graph.keys()].sort()) walk(module);
  return found;
}

/** importsOf maps each module of src to the modules that it imports, also types alone. */
function importsOf(): Map<string, string[]> {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).map((f) => f.replaceAll("\\", "/")).filter((f) => /\.tsx?$/.test(f));
  const known = new Set(files);
  return new Map(files.map((file) => {
    const text = readFileSync(join(src, file), "utf8");
    const paths = [...text.matchAll(/^(?:import|export)\b[^"';]*?from "(\.[^"]+)"/gm), ...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, path]) => path!);
    return [file, paths.map((path) => {
      const module = relative(src, join(src, dirname(file), path)).replaceAll("\\", "/");
      const target = [`${module}.ts`, `${module}.tsx`].find((name) => known.has(name));
      if (!target) throw new Error(`${file} imports ${path}, which is no module of src`);
      return target;
    })];
  }));
}

it("finds circles of one, two and three modules", () => {
  expect(circles(new Map([["a", ["b"]], ["b", ["c"]], ["c", []]]))).toEqual([]);
  expect(circles(new Map([["a", ["a"]], ["b", ["c"]], ["c", ["b"]]]))).toEqual([["a", "a"], ["b", "c", "b"]]);
  expect(circles(new Map([["a", ["b", "c"]], ["b", ["c"]], ["c", ["a"]]]))).toEqual([["a", "b", "c", "a"]]);
});

it("no modules import each other in a circle, types included", () => {
  const graph = importsOf();
  expect(graph.get("main.tsx")).toContain("views/app.tsx");
  expect(graph.get("energy.ts")).toContain("model.ts");
  expect(circles(graph)).toEqual([]);
});
