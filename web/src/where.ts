// The location of tasks and app code: caller, file and library.

import type { AppCode, Caller, Place, Task } from "./model";
import { nameOf } from "./names";
import { callingClass } from "./tasks";
import { count } from "./units";

/** placeOf writes a file, with its line if known. It is empty without a file. */
export const placeOf = ({ file, line }: Place) => (file && line ? `${file}:${line}` : file);

/** named writes a method with its place: "Clock.show (Clock.java:12)". */
export function named(p: Place): string {
  const place = placeOf(p);
  return nameOf(p.method).short + (place && ` (${place})`);
}

/** context describes the caller and the call path of a task in one line. */
export function context(t: Task): string {
  const caller = t.callers[0];
  const from = caller ? `from ${named(caller.own ?? caller)}${through(caller)}` : callingClass(t);
  const more = t.callers.length > 1 ? ` and ${t.callers.length - 1} more` : "";
  const start = t.path[1] && t.path.length > 3 ? `, via ${nameOf(t.path[1]).short}` : "";
  return from + more + start + on(t);
}

/** inside describes app code in one line. For a callback, these are the methods merged into it; for a method, its callbacks and its place. */
export function inside(c: AppCode): string {
  const [first] = c.parts;
  const more = c.partCount > 1 ? ` and ${c.partCount - 1} more` : "";
  if (c.kind === "callback") return `in ${named(first!)}${more}`;
  const of = first!.library && `${first!.library}, `;
  const place = placeOf(c);
  return `${of}within ${nameOf(first!.callback).short}${more}${place && ` (${place})`}`;
}

/** through names the library between a method of the app's own code and a task. */
export function through(c: Caller): string {
  if (!c.own) return c.through && ` in ${c.through}`;
  return c.own.method === c.method ? "" : ` through ${[c.through, nameOf(c.method).owner].filter(Boolean).join(" ")}`;
}

/** on names the threads that a task ran on. */
function on({ threads: [first, ...rest] }: Task): string {
  return first ? `, on ${first}${rest.length > 0 ? ` and ${count(rest.length, "other thread")}` : ""}` : "";
}
