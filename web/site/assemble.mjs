// Assembles the page into one self-contained file. Arguments: the folder of its parts, the
// output file, the version.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [folder, out, version] = process.argv.slice(2);
const here = import.meta.dirname;
const read = (...path) => readFileSync(join(...path), "utf8").trim();
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = read(folder, "page.js");
const style = read(here, "style.css");
const worker = readFileSync(join(folder, "wasm_exec.js"), "utf8") + readFileSync(join(folder, "worker.js"), "utf8");
// The report's frame obeys the report's own policy and this one.
const app = ["app.js", "app.css"].map((name) => readFileSync(join(here, "../../report/html", name), "utf8"));
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} ${hash(app[0])} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)} ${hash(app[1])}`,
  "worker-src blob:",
  "frame-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types worker",
].join("; ");
const sample = (name) => readFileSync(join(here, "../../testdata/cases/pandora57-pandora83", name));
const parts = {
  policy,
  style,
  script,
  version,
  engine: gzipSync(readFileSync(join(folder, "engine.wasm")), { level: 9 }).toString("base64"),
  worker: Buffer.from(worker).toString("base64"),
  sampleSubject: sample("subject.trace.gz").toString("base64"),
  sampleReference: gzipSync(sample("reference.trace"), { level: 9 }).toString("base64"),
};
writeFileSync(out, read(here, "index.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]) + "\n");
