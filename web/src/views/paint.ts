// Draws an icicle on a canvas.

import { referenceLabel, subjectEnergy, referenceEnergy, subjectLabel, Kind, Status, type Flask } from "../flask";
import { visible, type Icicle, type Window } from "../layout/icicle";
import { halves, nameOf } from "../names";
import { fit, fitName, type Pen } from "../pen";
import { grouped } from "../units";

/** Bars has the heights of a place and of its bars. The name is on the subject's bar. */
export interface Bars {
  level: number;
  here: number;
  there: number;
}

/** barsOf returns the heights for a comparison, or for a single run. */
export const barsOf = (f: Flask): Bars => (f.single ? { level: 19, here: 18, there: 0 } : { level: 33, here: 16, there: 15 });

/** least is the smallest width in pixels of a drawn place. */
export const least = 1.2;

/** A Tone is the colour of a place: how much more it uses here (up to 3) or there (down to -3). */
export type Tone = -3 | -2 | -1 | 0 | 1 | 2 | 3;

/** tone compares the energies of a row on both sides. In a single run it marks the app's own methods. */
export function tone(f: Flask, row: number): Tone {
  if (f.single) return f.rows.kind[row] === Kind.App ? 2 : 0;
  const status = f.rows.status[row];
  if (status === Status.SubjectOnly) return 3;
  if (status === Status.ReferenceOnly) return -3;
  const [here, there] = [subjectEnergy(f, row), referenceEnergy(f, row)];
  const more = (here - there) / Math.max(here, there, 1);
  const size = Math.abs(more);
  const step = size < 0.05 ? 0 : size < 0.34 ? 1 : size < 0.67 ? 2 : 3;
  return (more < 0 ? -step : step) as Tone;
}

/** Colors has the style sheet's colours, since a canvas cannot read them. */
export interface Colors {
  background: string;
  ink: string;
  dim: string;
  faint: string;
  place: string;
  /** indexed by tone plus 3 */
  tones: string[];
  /** text on the two strongest tones */
  inkStrong: string;
  focus: string;
  /** size and family */
  font: string;
  /** whether bars are outlined, for high contrast */
  outlined: boolean;
}

/** readColors resolves the style sheet's colours with an element that uses them. */
export function readColors(element: HTMLElement): Colors {
  const tones = ["tone-there-3", "tone-there-2", "tone-there-1", "tone-even", "tone-here-1", "tone-here-2", "tone-here-3"] as const;
  const found = resolve(element, ["background", "ink", "dim", "faint", "place", "ink-only", "focus", ...tones] as const);
  return {
    ...found,
    tones: tones.map((name) => found[name]),
    inkStrong: found["ink-only"],
    font: `12px ${getComputedStyle(element).fontFamily}`,
    outlined: getComputedStyle(element).getPropertyValue("--outlined").trim() === "1",
  };
}

/** resolve returns the values of style sheet variables as #rrggbb. */
export function resolve<N extends string>(element: HTMLElement, names: readonly N[]): Record<N, string> {
  const probe = document.createElement("span");
  probe.className = "probe";
  element.append(probe);
  const found = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, hex(getComputedStyle(probe).color)] as const;
  });
  probe.remove();
  return Object.fromEntries(found) as Record<N, string>;
}

/** hex converts a computed colour, "rgb(1, 2, 3)" or "color(srgb 0.1 0.2 0.3)", to the form that drawing programs read. */
function hex(color: string): string {
  const scale = color.startsWith("color(") ? 255 : 1;
  const parts = [...color.matchAll(/[\d.]+(?:e-?\d+)?/g)].slice(0, 3).map(([x]) => Math.min(255, Math.round(Number(x) * scale)));
  return `#${parts.map((x) => x.toString(16).padStart(2, "0")).join("")}`;
}

export interface Scene {
  icicle: Icicle;
  window: Window;
  width: number;
  height: number;
  selected: number;
  hovered: number;
  /** rows that a search found, or null without one */
  found: Uint8Array | null;
  /** marks of the rows where tasks begin */
  tasks: Uint8Array;
}

/** paint draws a scene. It draws all bars of one colour as one path, since each fill is slow. */
export function paint(pen: Pen, c: Colors, scene: Scene): void {
  const { icicle, window, width, height, found } = scene;
  const { flask, subject, reference } = icicle;
  const bars = barsOf(flask);
  const size = { width, height, level: bars.level, least };
  const places: number[] = [];
  const rests: number[] = [];
  // The first seven lists have the rectangles of the seven tones. The second seven lists are for
  // rows that a search did not find.
  const tones = Array.from({ length: 14 }, (): number[] => []);
  const names: [row: number, x: number, y: number, w: number][] = [];
  const notes: [text: string, x: number, y: number, w: number][] = [];
  visible(icicle, window, size, (row, x, y, scale) => {
    const w = icicle.width[row]! * scale;
    // A place wider than the window is drawn as wide as the window. Otherwise the
    // proportions of its bars would be invisible.
    if (x <= 0 && x + w >= width) {
      x = 0;
      scale = width / icicle.width[row]!;
    }
    const right = Math.min(x + w, width + 2);
    const from = Math.max(x, -2);
    const gap = w > 4 ? 1 : 0;
    if (w > 3) places.push(from, y, right - from - gap, bars.level - 2);
    const list = tones[tone(flask, row) + 3 + (found && !found[row] ? 7 : 0)]!;
    const hereEnd = Math.min(x + subject[row]! * scale, right) - gap;
    if (hereEnd > from) list.push(from, y, hereEnd - from, bars.here - 1);
    const thereEnd = Math.min(x + reference[row]! * scale, right) - gap;
    if (thereEnd > from && bars.there > 0) list.push(from, y + bars.here, thereEnd - from, bars.there);
    if (right - from > 26) names.push([row, from, y, right - from - gap]);
  }, (count, why, x, y, end) => {
    const from = Math.max(x, 0);
    const right = Math.min(end, width);
    if (right - from < 3) return;
    rests.push(from + 0.5, y + 1.5, right - from - 2, bars.here - 4);
    if (right - from > 40) notes.push([`and ${grouped(count)} more, ${why === "narrow" ? "too narrow to draw" : "left out of this file"}`, from, y, right - from]);
  });
  pen.rects([0, 0, width, height], c.background);
  pen.rects(places, c.place);
  tones.forEach((list, i) => pen.rects(list, c.tones[i % 7]!, i < 7 ? 1 : 0.3));
  if (c.outlined) pen.frames(places, { stroke: c.faint });
  pen.frames(rests, { stroke: c.faint, dash: [3, 2] });
  for (const [row, x, y, w] of names) {
    // A row of only the reference has its name above its bar.
    const dimmed = found !== null && !found[row];
    const strong = Math.abs(tone(flask, row)) === 3 && subject[row]! > 0 && !dimmed;
    const font = scene.tasks[row] ? `bold ${c.font}` : c.font;
    const text = title(pen, flask, row, w - 8, font);
    if (text) pen.text(text, x + 4, y + bars.here / 2, { fill: strong ? c.inkStrong : c.ink, font, alpha: dimmed ? 0.6 : 1 });
  }
  for (const [text, x, y, w] of notes) {
    const cut = fit(pen, text, w - 8, c.font);
    if (!cut) continue;
    pen.rects([x + 3, y, pen.measure(cut, c.font) + 4, bars.here - 1], c.background);
    pen.text(cut, x + 5, y + bars.here / 2, { fill: c.dim, font: c.font });
  }
  if (found) {
    const framed: number[] = [];
    const underlined: number[] = [];
    visible(icicle, window, size, (row, x, y, scale) => {
      const w = icicle.width[row]! * scale;
      if (!found[row]) return;
      // A frame would hide a narrow bar, so the bar is underlined.
      if (w >= 10) framed.push(...frame(bars, x, y, w, width));
      else underlined.push(x, y + bars.level - 3, Math.max(w - 1, 2), 3);
    });
    pen.frames(framed, { stroke: c.ink, width: 1.5 });
    pen.rects(underlined, c.ink);
  }
  for (const [row, color] of [[scene.hovered, c.ink], [scene.selected, c.focus]] as const) {
    if (row < 0) continue;
    const scale = width / (window.to - window.from);
    const at = frame(bars, (icicle.left[row]! - window.from) * scale, flask.depth[row]! * bars.level - window.top, icicle.width[row]! * scale, width);
    pen.frames(at, { stroke: color, width: 2 });
  }
}

/** frame is the rectangle around a place, or null if the place is not visible. */
function frame(bars: Bars, x: number, y: number, w: number, width: number): number[] {
  const from = Math.max(x, -4);
  const right = Math.min(x + Math.max(w, 3), width + 4);
  return right > from ? [from + 1, y + 1, right - from - 2, bars.level - 3] : [];
}

const marks: Record<number, string> = { [Status.Matched]: "", [Status.Relabelled]: "≈ ", [Status.SubjectOnly]: "+ ", [Status.ReferenceOnly]: "− " };

/** title writes a row's mark and name within a width. If there is too little space, it omits the reference's name first. */
function title(pen: Pen, f: Flask, row: number, width: number, font: string): string {
  const name = halves(subjectLabel(f, row));
  const status = f.rows.status[row]!;
  const mark = f.single ? "" : marks[status]!;
  if (status === Status.Relabelled) {
    const both = `${mark}${name.join("")} / ${nameOf(referenceLabel(f, row)).short}`;
    if (pen.measure(both, font) <= width) return both;
  }
  return fitName(pen, mark, name, width, font);
}
