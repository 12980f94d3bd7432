// The places of a chart in pixels.

import type { Axis, Tick } from "../article";

/** A Scale maps a value of an axis to a pixel. Values beyond the axis are at its ends. */
export type Scale = (value: number) => number;

/** scaleOf maps an axis to the pixels from start to end. An axis with a single value has it in the middle. */
export function scaleOf({ from, to, log }: Axis, start: number, end: number): Scale {
  const at = log ? Math.log : (x: number) => x;
  const [a, b] = [at(from), at(to)];
  return (value) => {
    const share = a === b ? 0.5 : (at(value) - a) / (b - a);
    return Math.round((start + (end - start) * Math.min(Math.max(share, 0), 1)) * 10) / 10;
  };
}

/** roomy keeps the ticks with at least apart pixels between neighbours, from the first one on. */
export function roomy(ticks: readonly Tick[], scale: Scale, apart: number): Tick[] {
  let last = -Infinity;
  return ticks.filter(({ at }) => {
    const x = scale(at);
    if (x - last < apart) return false;
    last = x;
    return true;
  });
}

/** A Label is the place of a text next to a vertical rule: to its right, or to its left if end is set. */
export interface Label {
  x: number;
  end: boolean;
  row: number;
}

/** labelsOf places the texts of rules up to a width, each in the first row where it meets no other text. */
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
