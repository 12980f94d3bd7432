// The environment of the app: a file with all data, or a webview of VS Code that requests
// data from the extension. Views use only the interface Host.
//
// Messages from the webview to the extension:
//
//   {type: "ready"}                          the app is ready; answer with "report"
//   {type: "flask", id}                      requests the flask of a task; "" is the whole run
//   {type: "open", method, file, line}       opens a method's source
//   {type: "copy", text}                     copies text to the clipboard
//   {type: "title", text}                    sets the title of the panel
//
// Messages from the extension to the webview:
//
//   {type: "report", report, headline, spoken?, volts?, unit?, top?}  the result of diffprof/report
//   {type: "tree", tree, volts?, unit?, top?, profile?}  a single run, in place of a report:
//                                            the output of diffprof tree --format json --min-share 0,
//                                            and of diffprof profile without rows and graph
//   {type: "flask", id, flask}               the result of diffprof/flask
//   {type: "flaskFailed", id, message}       no flask, with the reason
//   {type: "failed", message}                no report, with the reason
//   {type: "open", task}                     show the flask of this task
//   {type: "view", view}                     show tasks, flask, run, top, api, energy or summary

import type { Article } from "./article";
import type { EnergyProfile } from "./energy";
import type { About, Group } from "./group";
import type { FlaskJSON, MethodListJSON, Report, Spoken } from "./model";
import type { Tree } from "./tree";
import { runID, views, type Action, type View } from "./state";

export interface Host {
  /** waiting is the message before the data arrives. */
  waiting: string;
  /** start makes the host send its data as actions. */
  start(send: (action: Action) => void): void;
  /** flask requests a flask. The host sends it as an action, at once or later. */
  flask(id: string): void;
  /** copy copies text to the clipboard. The promise is true if it succeeded. */
  copy(text: string): Promise<boolean>;
  /** open shows a method's source; null if the host cannot show sources. */
  open: ((method: string, file: string, line: number) => void) | null;
  /** save saves a file; null if the host cannot. */
  save: ((name: string, content: Blob) => void) | null;
  /** address stores the state of the page. */
  address: Address;
  /** title puts a text in front of the page's title, or removes it if it is empty; null if the host shows no title. */
  title: ((text: string) => void) | null;
}

/** An Address stores the state of the page across reloads. */
export interface Address {
  /** read returns it; empty if there is none. */
  read(): string;
  /** write changes it. If anew is set, it adds an entry to the history. */
  write(address: string, anew: boolean): void;
  /** onChange calls f when the browser changes the address. The returned function stops the calls. */
  onChange(f: () => void): () => void;
}

/** A Page is the data of a file: a report with its call trees, the tree of one run, a group, or an article. */
export type Page = Shared & (Compared | { tree: Tree; profile?: EnergyProfile; view?: View } | { group: Group; about: About; flasks: Record<string, PackedFlask> } | { article: Article });

interface Compared {
  report: Report;
  /** the sentences of the judgement, in the page's unit */
  headline: string[];
  /** the sentences for other units; null with a single unit */
  spoken?: Spoken | null;
  flasks: Record<string, PackedFlask>;
  run: PackedFlask | null;
}

interface Shared {
  volts?: number;
  unit?: string;
  /** absent in pages of older programs */
  top?: Packed<MethodListJSON>;
  /** the names of the flasks' methods: label, short name and owner */
  names: [label: string, short: string, owner: string][];
}

/** A Packed document has numbers as labels: indices into the names of its page. */
export type Packed<T> = Omit<T, "labels" | "methods"> & { labels: number[]; methods: { apart: Record<string, string> } };

export type PackedFlask = Packed<FlaskJSON>;

/** unpackNames replaces the numbers in a document's labels by names. The language server sends this form. */
export function unpackNames<T>(f: Packed<T>, names: Page["names"]): Omit<T, "labels" | "methods"> & Pick<FlaskJSON, "labels" | "methods"> {
  const own = f.labels.map((at) => names[at]!);
  return {
    ...f,
    labels: own.map(([label]) => label),
    methods: { short: own.map(([, short]) => short), owner: own.map(([, , owner]) => owner), apart: own.map((_, i) => f.methods.apart[i] ?? "") },
  };
}

/** unpack reads the data of a document: base64 of gzip of JSON. */
export async function unpack(text: string): Promise<Page> {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** fileHost serves the data in the document. */
export function fileHost(reading: Promise<Page>): Host {
  let send: (action: Action) => void = () => {};
  let page: Page;
  const title = globalThis.document?.title;
  const asked = globalThis.location?.hash.length > 1;
  const deliver = async () => {
    let action: Action;
    try {
      page = await reading;
      const { volts, unit } = page;
      const top = page.top ? unpackNames<MethodListJSON>(page.top, page.names) : null;
      action = "article" in page ? { type: "article", article: page.article } : "group" in page ? { type: "group", group: page.group, about: page.about, volts, unit } : "tree" in page ? { type: "tree", tree: page.tree, volts, unit, top, profile: page.profile ?? null } : { type: "report", report: page.report, headline: page.headline, spoken: page.spoken, volts, unit, top };
    } catch (why) {
      action = { type: "failed", message: `This file is damaged: its data cannot be unpacked (${String(why)}).` };
    }
    try {
      send(action);
      // The address takes precedence.
      if ("tree" in page && page.view && !asked) send({ type: "view", view: page.view });
    } catch (why) {
      send({ type: "failed", message: `The report cannot be shown (${String(why)}).` });
    }
  };
  return {
    waiting: "",
    start(to) {
      send = to;
      void deliver();
    },
    flask(id) {
      const flask = "tree" in page || "article" in page ? null : "run" in page && id === runID ? page.run : Object.hasOwn(page.flasks, id) ? page.flasks[id] : null;
      if (flask) send({ type: "flask", id, flask: unpackNames<FlaskJSON>(flask, page.names) });
      else send({ type: "flaskFailed", id, message: "This file has no call tree for this task. To stay small, it has only the call trees of the first tasks. Write it with a larger --top for more." });
    },
    async copy(text) {
      try {
        await navigator.clipboard.writeText(text);
        return true;
      } catch {
        return copySelected(text);
      }
    },
    open: null,
    save(name, content) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(content);
      link.download = name;
      link.click();
      // By then the browser has started to read the file.
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    },
    // With the state in the address, links and the browser's buttons work.
    address: {
      read: () => location.hash.slice(1),
      write(address, anew) {
        if (anew) history.pushState(null, "", `#${address}`);
        else history.replaceState(history.state, "", `#${address}`);
      },
      onChange(f) {
        addEventListener("hashchange", f);
        return () => removeEventListener("hashchange", f);
      },
    },
    title: (text) => void (document.title = text ? `${text} – ${title}` : title),
  };
}

// Browsers offer the clipboard interface only to secure origins. Some of them do not
// treat a file as secure.
function copySelected(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-hidden", "true");
  field.className = "offscreen";
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}

/** A VSCode is the result of a webview's acquireVsCodeApi. */
export interface VSCode {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** codeHost exchanges messages with the extension. waiting is the text of its document. */
export function codeHost(code: VSCode, waiting: string, events: Pick<Window, "addEventListener"> = window): Host {
  return {
    waiting,
    start(send) {
      events.addEventListener("message", (event) => {
        const action = fromExtension((event as MessageEvent).data);
        if (action) send(action);
      });
      code.postMessage({ type: "ready" });
    },
    flask: (id) => code.postMessage({ type: "flask", id }),
    async copy(text) {
      code.postMessage({ type: "copy", text });
      return true;
    },
    open: (method, file, line) => code.postMessage({ type: "open", method, file, line }),
    save: null,
    // VS Code keeps the state for a window that is reloaded.
    address: { read: () => String(code.getState() ?? ""), write: (address) => code.setState(address), onChange: () => () => {} },
    title: (text) => code.postMessage({ type: "title", text }),
  };
}

/** fromExtension converts a message to an action; null for an unknown message. */
export function fromExtension(message: any): Action | null {
  if (typeof message !== "object" || message === null) return null;
  switch (message.type) {
    case "report":
      return { type: "report", report: message.report as Report, headline: message.headline as string[] | undefined, spoken: message.spoken as Spoken | null | undefined, volts: Number(message.volts) || 0, unit: String(message.unit ?? ""), top: (message.top as MethodListJSON | undefined) ?? null };
    case "tree":
      return { type: "tree", tree: message.tree as Tree, volts: Number(message.volts) || 0, unit: String(message.unit ?? ""), top: (message.top as MethodListJSON | undefined) ?? null, profile: (message.profile as EnergyProfile | undefined) ?? null };
    case "flask":
      return { type: "flask", id: String(message.id), flask: message.flask as FlaskJSON };
    case "flaskFailed":
      return { type: "flaskFailed", id: String(message.id), message: String(message.message) };
    case "failed":
      return { type: "failed", message: String(message.message) };
    case "open":
      return { type: "open", task: String(message.task) };
    case "view":
      return views.includes(message.view) ? { type: "view", view: message.view as View } : null;
    default:
      return null;
  }
}
