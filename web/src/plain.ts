// Makes names from traces visible, since a trace may be hostile.

/** unseen matches invisible characters that change how other text looks: controls, joiners, direction marks. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** plain writes such characters as escapes: "\u202e". */
export const plain = (text: string): string => text.replace(unseen, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** plainAll applies plain to all texts and keys of a document. It returns the document itself if none change. */
export const plainAll = <T>(document: T): T => (hasUnseen(document) ? replaced(document) : document);

/** hasUnseen reports whether a document has such characters. It allocates nothing, because documents are large and hardly any has such characters. */
function hasUnseen(value: unknown): boolean {
  if (typeof value === "string") return value.search(unseen) >= 0;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return typeof value[0] !== "number" && value.some(hasUnseen);
  for (const key in value) {
    if (key.search(unseen) >= 0 || hasUnseen((value as Record<string, unknown>)[key])) return true;
  }
  return false;
}

function replaced<T>(value: T): T {
  if (typeof value === "string") return plain(value) as T;
  if (Array.isArray(value)) return value.map(replaced) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, x]) => [plain(key), replaced(x)])) as T;
}
