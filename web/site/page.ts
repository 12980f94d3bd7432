// The page that compares in the browser: it takes files, starts a worker that writes the
// report, and shows it in a frame. Nothing leaves the machine: its policy forbids connections.

import type { Answer, Job, Request } from "./worker";

type Role = keyof Request;

const roles: Role[] = ["subject", "reference", "powerProfile", "mappingSubject", "mappingReference"];
const given = new Map<Role, File>();

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

const start = element<HTMLButtonElement>("start");
const bar = element<HTMLProgressElement>("bar");
const frame = element<HTMLIFrameElement>("report");
const save = element<HTMLAnchorElement>("save");

/** embedded returns a block of the page, as bytes. */
function embedded(id: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(element(id).textContent!), (c) => c.charCodeAt(0));
}

/** engine is the compiled engine, shared by all runs. */
let compiled: Promise<WebAssembly.Module> | undefined;
const engine = () =>
  (compiled ??= WebAssembly.compileStreaming(
    new Response(new Blob([embedded("engine")]).stream().pipeThrough(new DecompressionStream("gzip")), { headers: { "content-type": "application/wasm" } }),
  ));

/** Browsers with trusted types require a trusted address of a script. */
interface Trusting {
  trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
}
interface Policy {
  createScriptURL(url: string): string;
}
const same: Policy = { createScriptURL: (url) => url };
const trusted = (globalThis as Trusting).trustedTypes?.createPolicy("worker", same) ?? same;
const script = URL.createObjectURL(new Blob([embedded("worker")], { type: "text/javascript" }));

let worker: Worker | undefined;

/** Both traces may have the same name, so a path contains the role of its file. */
function named(role: Role): string {
  const file = given.get(role);
  if (!file) return "";
  const twice = roles.some((r) => r !== role && given.get(r)?.name === file.name);
  return twice ? `${role}/${file.name}` : file.name;
}

function show(id: "choose" | "busy" | "done") {
  for (const part of ["choose", "busy", "done"]) element(part).hidden = part !== id;
}

function draw() {
  for (const role of roles) {
    const file = given.get(role);
    element(`${role}-name`).textContent = file ? `${file.name}, ${size(file.size)}` : "";
    element(`${role}-remove`).hidden = !file;
    element(`${role}-zone`).classList.toggle("given", !!file);
  }
  start.disabled = !given.has("subject");
  start.textContent = given.has("subject") && !given.has("reference") ? "Show this run" : "Compare";
  element("swap").hidden = !given.has("subject") || !given.has("reference");
  element("sample").hidden = given.has("subject") || given.has("reference");
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function fail(message: string) {
  element("error").textContent = message;
  element("error").hidden = !message;
}

function give(role: Role, file: File | undefined) {
  if (file) given.set(role, file);
  else given.delete(role);
  fail("");
  draw();
}

/** giveTraces uses one trace for the side that it was dropped on. Of two traces, the newer one is the subject. */
function giveTraces(files: File[], role: Role) {
  if (files.length > 2) return fail(`${files.length} files are too many: drop one trace, or two to compare`);
  if (files.length === 2) {
    const [later, earlier] = [...files].sort((a, b) => b.lastModified - a.lastModified);
    give("subject", later);
    give("reference", earlier);
  } else if (files.length === 1) give(role, files[0]);
}

async function run() {
  fail("");
  show("busy");
  element("stage").textContent = "starting";
  bar.removeAttribute("value");
  const files = new Map<string, File>();
  const request = {} as Request;
  for (const role of roles) {
    request[role] = named(role);
    if (given.has(role)) files.set(request[role], given.get(role)!);
  }
  const current = new Worker(trusted.createScriptURL(script));
  worker = current;
  current.onmessage = ({ data }: MessageEvent<Answer>) => {
    if (data.kind === "progress") {
      element("stage").textContent = data.stage;
      if (data.total > 0) bar.value = Math.min(data.done / data.total, 1);
      else bar.removeAttribute("value");
      return;
    }
    stop();
    if (data.kind === "failed") return fail(data.message);
    const title = request.reference ? `${given.get("subject")!.name} compared with ${given.get("reference")!.name}` : given.get("subject")!.name;
    element("title").textContent = title;
    save.download = `${title.replaceAll(/[^\w.-]+/g, "-")}.html`;
    save.href = frame.src = URL.createObjectURL(new Blob([data.page], { type: "text/html" }));
    frame.title = title;
    show("done");
  };
  current.onerror = (event) => {
    stop();
    fail(event.message || "the engine does not start in this browser");
  };
  try {
    const module = await engine();
    // The run may be cancelled already.
    if (worker === current) current.postMessage({ engine: module, request, files } satisfies Job);
  } catch (error) {
    stop();
    fail(`the engine does not start in this browser: ${error instanceof Error ? error.message : error}`);
  }
}

/** stop ends a run and shows the files again. */
function stop() {
  worker?.terminate();
  worker = undefined;
  show("choose");
}

for (const role of roles) {
  const zone = element(`${role}-zone`);
  const input = element<HTMLInputElement>(`${role}-file`);
  const take = (files: FileList | undefined) => {
    const list = [...(files ?? [])];
    if (role === "subject" || role === "reference") giveTraces(list, role);
    else if (list.length > 0) give(role, list[0]);
  };
  input.addEventListener("change", () => {
    take(input.files ?? undefined);
    input.value = "";
  });
  zone.addEventListener("dragover", () => zone.classList.add("over"));
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.remove("over");
    take(event.dataTransfer?.files);
  });
  element(`${role}-remove`).addEventListener("click", () => give(role, undefined));
}
// A file dropped outside the zones is used too. Otherwise the browser would open it.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  giveTraces([...(event.dataTransfer?.files ?? [])], given.has("subject") ? "reference" : "subject");
});
start.addEventListener("click", () => void run());
element("cancel").addEventListener("click", stop);
element("swap").addEventListener("click", () => {
  for (const [a, b] of [["subject", "reference"], ["mappingSubject", "mappingReference"]] as [Role, Role][]) {
    const first = given.get(a);
    give(a, given.get(b));
    give(b, first);
  }
});
element("sample").addEventListener("click", () => {
  give("subject", new File([embedded("sample-subject")], "pandora-5.7.trace.gz"));
  give("reference", new File([embedded("sample-reference")], "pandora-8.3.trace.gz"));
  void run();
});
element("again").addEventListener("click", () => {
  URL.revokeObjectURL(frame.src);
  frame.removeAttribute("src");
  show("choose");
});
draw();
