// Searches call trees, including rows that are not drawn.

import { weight, type Flask } from "./flask";

/** Found has the rows that a search found, most energy first, and a mark for each row. */
export interface Found {
  rows: number[];
  marks: Uint8Array;
}

/** search finds the rows whose methods match a query. It searches only rows that can be drawn. It returns null for an empty query. */
export function search(f: Flask, query: string, hasPlace: (row: number) => boolean = () => true): Found | null {
  const text = query.trim().toLowerCase();
  if (!text) return null;
  const hits = f.labels.map((label) => label.toLowerCase().includes(text));
  const marks = new Uint8Array(f.size);
  const rows: number[] = [];
  for (let i = 0; i < f.size; i++) {
    const other = f.rows.referenceLabel[i]!;
    if ((hits[f.rows.label[i]!] || (other >= 0 && hits[other])) && hasPlace(i)) {
      marks[i] = 1;
      rows.push(i);
    }
  }
  rows.sort((a, b) => weight(f, b) - weight(f, a) || a - b);
  return { rows, marks };
}

/** step returns the result after or before the selected row. If that row is not a result, it returns the first or the last one. */
export function step(found: Found, selected: number, by: 1 | -1): number {
  const at = found.rows.indexOf(selected);
  const from = at < 0 && by < 0 ? 0 : at;
  return found.rows[(from + by + found.rows.length) % found.rows.length]!;
}
