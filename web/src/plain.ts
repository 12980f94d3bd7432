// Names come from traces, and anyone may have made a trace.

/** unseen are the characters that nobody sees, and that change what others look like: controls, joiners, marks of direction. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** plain shows such characters as what they are: "\u202e". */
export const plain = (text: string): string => text.replace(unseen, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** plainAll does that for all texts in a document, its keys too. It returns the document itself if there are none. */
export function plainAll<T>(value: T): T {
  if (typeof value === "string") return plain(value) as T;
  if (Array.isArray(value)) {
    // Columns of figures have no texts.
    if (typeof value[0] === "number") return value;
    const out = value.map(plainAll);
    return out.every((x, i) => x === value[i]) ? value : (out as T);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const out = entries.map(([key, x]) => [plain(key), plainAll(x)] as const);
  return out.every(([key, x], i) => key === entries[i]![0] && x === entries[i]![1]) ? value : (Object.fromEntries(out) as T);
}
