// Runs the engine once in a worker. The page stays responsive, and can stop the run by terminating
// the worker. build.sh puts Go's runtime for browsers before this file.

import { fileSystem } from "./files";

/** A Request has the names of the input files; an absent file is empty. */
export interface Request {
  subject: string;
  reference: string;
  powerProfile: string;
  mappingSubject: string;
  mappingReference: string;
}

export interface Job {
  engine: WebAssembly.Module;
  request: Request;
  files: Map<string, File>;
}

export type Answer =
  | { kind: "progress"; stage: string; done: number; total: number }
  | { kind: "failed"; message: string }
  | { kind: "finished"; page: Uint8Array<ArrayBuffer> };

declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** between is the time between two progress messages, in milliseconds. */
const between = 50;

const answer = (a: Answer, transfer: Transferable[] = []) => (self as unknown as Worker).postMessage(a, transfer);

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  let answered = false;
  let said = "";
  let reported = 0;
  const host = {
    request: data.request,
    progress(stage: string, done: number, total: number) {
      if (performance.now() - reported < between) return;
      reported = performance.now();
      answer({ kind: "progress", stage, done, total });
    },
    failed(message: string) {
      answered = true;
      answer({ kind: "failed", message });
    },
    finished(page: Uint8Array<ArrayBuffer>) {
      answered = true;
      answer({ kind: "finished", page }, [page.buffer]);
    },
  };
  Object.assign(globalThis, { host, fs: fileSystem(data.files, (text) => (said += text)) });
  try {
    const go = new Go();
    await go.run(await WebAssembly.instantiate(data.engine, go.importObject));
  } catch (error) {
    said ||= String(error);
  }
  // Go's runtime prints this when the browser refuses more memory.
  if (!answered) host.failed(/out of memory/.test(said) ? "the traces need more memory than the browser allows: use the diffprof command, which has no such limit" : said.split("\n")[0]);
};
