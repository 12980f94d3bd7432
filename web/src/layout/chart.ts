// The places of a chart in pixels.

import type { Axis, Tick } from "../article";

/** A Scale maps a value to a pixel. It maps values outside of the axis to its ends. */
export type Scale = (value: number) => number;

/** scaleOf maps an axis to the pixels from start to end. If the axis has a single value, its place is the middle. */
export function scaleOf({ from, to, log }: Axis, start: number, end: number): Scale {
  const at = log ? Math.log : (x: number) => x;
  const [a, b] = [at(from), at(to)];
  return (value) => {
    const share = a === b ? 0.5 : (at(value) - a) / (b - a);
    return Math.round((start + (end - start) * Math.min(Math.max(share, 0), 1)) * 10) / 10;
  };
}

/** roomy drops ticks until neighbours are at least apart pixels from each other. It keeps the first
 * label. */
export function roomy(ticks: readonly Tick[], scale: Scale, apart: number): Tick[] {
  let last = -Infinity;
  return ticks.filter(({ at }) => {
    const x = scale(at);
    if (x - last < apart) return false;
    last = x;
    return true;
  });
}

/** A Label is the place of a text next to a vertical rule. The text is right of the rule, or left of it if end is set. */
export interface Label {
  x: number;
  end: boolean;
  row: number;
}

/** labelsOf places the texts of rules in rows of a width. Each text goes to the first row in which it overlaps no other. */
export function labelsOf(rules: readonly Tick[], scale: Scale, letter: number, width: number): Label[] {
  const rows: [from: number, to: number][][] = [];
  return rules.map(({ at, text }) => {
    const long = text.length * letter;
    const end = scale(at) + 6 + long > width;
    const x = scale(at) + (end ? -6 : 6);
    const [from, to] = end ? [x - long, x] : [x, x + long];
    let row = 0;
    while (rows[row]?.some((other) => from < other[1] && other[0] < to)) row++;
    (rows[row] ??= []).push([from, to]);
    return { x, end, row };
  });
}

/** pathOf joins points with lines. */
export const pathOf = (points: readonly (readonly [number, number])[]): string => points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("");
