// The program's output for speedscope, tested in speedscope's own page and with its schema.

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { Ajv } from "ajv";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, launch, sample, shoot, written } from "./browser";

const release = join(dirname(createRequire(import.meta.url).resolve("speedscope/package.json")), "dist/release");

interface Profile {
  name: string;
  endValue: number;
  events: { type: "O" | "C"; frame: number; at: number }[];
}

interface File {
  name: string;
  activeProfileIndex: number;
  shared: { frames: { name: string }[] };
  profiles: Profile[];
}

const files = () => {
  const run = written("run.speedscope.json", "convert", sample("subject.trace.gz"));
  const pair = written("pair.speedscope.json", "compare", "--format", "speedscope", sample("subject.trace.gz"), sample("reference.trace"));
  return [run, pair].map((path) => readFileSync(path, "utf8"));
};

/** largest is the frame with the most self energy in a profile, and that energy. */
function largest(file: File, profile: Profile): { name: string; self: number } {
  const self = new Map<number, number>();
  const open: number[] = [];
  let last = 0;
  for (const e of profile.events) {
    const top = open.at(-1);
    if (top !== undefined) self.set(top, (self.get(top) ?? 0) + e.at - last);
    last = e.at;
    if (e.type === "O") open.push(e.frame);
    else open.pop();
  }
  const [frame, most] = [...self].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { name: file.shared.frames[frame]?.name ?? "", self: most };
}

describe("speedscope's schema", () => {
  it("accepts the program's output for a run and for a comparison", () => {
    const fits = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(join(release, "file-format-schema.json"), "utf8")));
    for (const text of files()) {
      expect(fits(JSON.parse(text)), JSON.stringify(fits.errors)).toBe(true);
    }
  });
});

describe.skipIf(!browserPath())("speedscope's page", () => {
  let browser: Browser;
  let server: Server;
  let texts: string[];
  const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

  beforeAll(async () => {
    texts = files();
    server = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
      const text = /^\/data\/(\d)$/.exec(path);
      const name = path === "/" ? "/index.html" : path;
      response.setHeader("content-type", text ? "application/json" : (types[extname(name)] ?? "application/octet-stream"));
      try {
        response.end(text ? texts[Number(text[1])] : readFileSync(join(release, name)));
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    // The page draws with WebGL.
    browser = await launch(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("shows each method with the program's energy", async () => {
    for (const [i, text] of texts.entries()) {
      const file = JSON.parse(text) as File;
      const most = largest(file, file.profiles[file.activeProfileIndex]!);
      const page = await browser.newPage({ viewport: { width: 1400, height: 800 } });
      const complaints: string[] = [];
      page.on("pageerror", (e) => complaints.push(e.message));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#profileURL=/data/${i}&title=${i}&view=sandwich`);
      const row = page.locator("tr", { hasText: most.name }).first();
      await row.waitFor();
      expect(await row.innerText()).toContain(most.self.toLocaleString("en-US"));
      await shoot(page, `speedscope-${i}-sandwich`);
      await page.getByText("Left Heavy").click();
      await shoot(page, `speedscope-${i}-left-heavy`);
      expect(complaints).toEqual([]);
      await page.close();
    }
  });
});
