// Where tasks and app code are: who calls them, in which file, through which library.

import type { AppCode, Caller, Place, Task } from "./model";
import { nameOf } from "./names";
import { callingClass } from "./tasks";
import { count } from "./units";

/** placeOf is a file with its line, as far as they are known; empty if the file is not. */
export const placeOf = ({ file, line }: Place) => (file && line ? `${file}:${line}` : file);

/** named is a method with its place: "Clock.show (Clock.java:12)". */
export function named(p: Place): string {
  const place = placeOf(p);
  return nameOf(p.method).short + (place && ` (${place})`);
}

/** context says in a line where a task is called from: by whom, during what. */
export function context(t: Task): string {
  const caller = t.callers[0];
  const from = caller ? `from ${named(caller.own ?? caller)}${through(caller)}` : callingClass(t);
  const more = t.callers.length > 1 ? ` and ${t.callers.length - 1} more` : "";
  const start = t.path[1] && t.path.length > 3 ? `, via ${nameOf(t.path[1]).short}` : "";
  return from + more + start + on(t);
}

/** inside says in a line where app code is: its place and the callbacks that lead to it, or the methods that a callback is made of. */
export function inside(c: AppCode): string {
  const [first] = c.parts;
  const more = c.partCount > 1 ? ` and ${c.partCount - 1} more` : "";
  if (c.kind === "callback") return `in ${named(first!)}${more}`;
  const of = first!.library && `${first!.library}, `;
  const place = placeOf(c);
  return `${of}within ${nameOf(first!.callback).short}${more}${place && ` (${place})`}`;
}

/** through names the library between the app's own method and a task. */
export function through(c: Caller): string {
  if (!c.own) return c.through && ` in ${c.through}`;
  return c.own.method === c.method ? "" : ` through ${[c.through, nameOf(c.method).owner].filter(Boolean).join(" ")}`;
}

/** on names the threads that a task ran on. */
function on({ threads: [first, ...rest] }: Task): string {
  return first ? `, on ${first}${rest.length > 0 ? ` and ${count(rest.length, "other thread")}` : ""}` : "";
}
