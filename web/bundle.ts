// The header of the bundle: the licences of its libraries, and a hash of its sources. The Go
// tests use the hash to detect an outdated bundle.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** sources are the files and folders of web/ that the bundle depends on. */
const sources = ["bundle.ts", "package-lock.json", "package.json", "src", "tsconfig.json", "vite.config.ts"];

/**
 * sourceHash hashes the name and content of each source file, in the order of their
 * names: hex SHA-256 over "<name>\n<length in bytes>\n<content>" for each.
 * report/html has the same function in Go.
 */
export function sourceHash(web: string): string {
  const hash = createHash("sha256");
  const files = sources.flatMap((name) => (name === "src" ? walk(web, name) : [name])).sort();
  for (const file of files) {
    const content = readFileSync(join(web, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

function walk(web: string, folder: string): string[] {
  return readdirSync(join(web, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(web, name) : [name];
  });
}

/** stamp writes the hash and the licences of the libraries at the top of the script. */
export function stamp(web: string): Plugin {
  return {
    name: "stamp",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        const notices = licences(Object.keys(chunk.modules));
        chunk.code = `/*! diffprof: made from web/, do not edit. sources sha256:${sourceHash(web)}\n\n${notices}*/\n${chunk.code}`;
      }
    },
  };
}

/** licences collects the licence texts of the packages that the modules belong to. It has each text once. */
function licences(modules: string[]): string {
  const packages = new Map<string, string>();
  for (const id of modules) {
    const at = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"));
    if (at) packages.set(at[0].slice(at[0].lastIndexOf("node_modules/") + 13), at[0]);
  }
  const byText = new Map<string, string[]>();
  for (const [name, folder] of [...packages].sort()) {
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((f) => join(folder, f)).find(existsSync);
    if (!file) throw new Error(`${name} has no licence file`);
    const text = readFileSync(file, "utf8").trim().replaceAll("*/", "* /");
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  return [...byText].map(([text, names]) => `Contains ${names.join(", ")}:\n\n${text}\n\n`).join("");
}
