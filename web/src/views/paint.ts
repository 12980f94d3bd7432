// Draws an icicle onto a canvas.

import { referenceLabel, subjectLabel, Status, type Flask } from "../flask";
import { visible, type Icicle, type Window } from "../layout/icicle";
import { halves, nameOf } from "../names";

/** The height of a level: the subject's bar, which has the name on it, and the reference's. */
export const level = 27;
const hereHeight = 17;
const thereHeight = 7;

/** Colors are the style sheet's colours, which a canvas cannot read by itself. */
export interface Colors {
  background: string;
  ink: string;
  /** text on bars that only one side has */
  inkOnly: string;
  faint: string;
  place: string;
  here: string;
  hereOnly: string;
  there: string;
  thereOnly: string;
  focus: string;
  font: string;
  /** whether bars are outlined, for high contrast */
  outlined: boolean;
}

/** readColors resolves the style sheet's colours, by way of an element that uses them. */
export function readColors(element: HTMLElement): Colors {
  const probe = document.createElement("span");
  probe.className = "probe";
  element.append(probe);
  const color = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colors: Colors = {
    background: color("background"),
    ink: color("ink"),
    inkOnly: color("ink-only"),
    faint: color("faint"),
    place: color("place"),
    here: color("here-soft"),
    hereOnly: color("here-mid"),
    there: color("there-soft"),
    thereOnly: color("there-mid"),
    focus: color("focus"),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    outlined: getComputedStyle(element).getPropertyValue("--outlined").trim() === "1",
  };
  probe.remove();
  return colors;
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
  /** rows where tasks begin */
  tasks: Uint8Array;
}

/** paint draws a scene. All bars of a colour are one path, since each fill is slow. */
export function paint(g: CanvasRenderingContext2D, c: Colors, scene: Scene): void {
  const { icicle, window, width, height, found } = scene;
  const { flask, subject, reference } = icicle;
  const { status } = flask.rows;
  g.fillStyle = c.background;
  g.fillRect(0, 0, width, height);
  const paths = new Map<string, Path2D>();
  const path = (color: string) => {
    let p = paths.get(color);
    if (!p) paths.set(color, (p = new Path2D()));
    return p;
  };
  // Places are painted before the bars on them.
  for (const color of [c.place, c.here, c.hereOnly, c.there, c.thereOnly]) path(color);
  const names: [row: number, x: number, y: number, w: number][] = [];
  visible(icicle, window, { width, height, level, least: 1.2 }, (row, x, y, scale) => {
    const w = icicle.width[row] * scale;
    // A place wider than the window is drawn as wide as the window, so that the
    // proportions of its bars can be seen.
    if (x <= 0 && x + w >= width) {
      x = 0;
      scale = width / icicle.width[row];
    }
    const right = Math.min(x + w, width + 2);
    const from = Math.max(x, -2);
    const gap = w > 4 ? 1 : 0;
    if (w > 3) path(c.place).rect(from, y, right - from - gap, hereHeight + thereHeight);
    const hereEnd = Math.min(x + subject[row] * scale, right) - gap;
    const only = status[row] === Status.SubjectOnly;
    if (hereEnd > from) path(only ? c.hereOnly : c.here).rect(from, y, hereEnd - from, hereHeight);
    const thereEnd = Math.min(x + reference[row] * scale, right) - gap;
    if (thereEnd > from) {
      path(status[row] === Status.ReferenceOnly ? c.thereOnly : c.there).rect(from, y + hereHeight, thereEnd - from, thereHeight);
    }
    if (right - from > 26) names.push([row, from, y, right - from - gap]);
  });
  for (const [color, p] of paths) {
    g.fillStyle = color;
    g.fill(p);
  }
  if (c.outlined) {
    g.lineWidth = 1;
    g.strokeStyle = c.faint;
    g.stroke(path(c.place));
  }
  g.textBaseline = "middle";
  for (const [row, x, y, w] of names) {
    // The name of a row that only the reference has stands above its bar.
    const ink = status[row] === Status.SubjectOnly ? c.inkOnly : c.ink;
    g.fillStyle = ink;
    g.globalAlpha = found && !found[row] ? 0.6 : 1;
    g.font = scene.tasks[row] ? `bold ${c.font}` : c.font;
    const text = title(g, flask, row, w - 8);
    if (text) g.fillText(text, x + 4, y + hereHeight / 2 + 0.5);
  }
  g.globalAlpha = 1;
  if (found) {
    g.lineWidth = 1.5;
    g.strokeStyle = c.ink;
    g.fillStyle = c.ink;
    visible(icicle, window, { width, height, level, least: 1.2 }, (row, x, y, scale) => {
      const w = icicle.width[row] * scale;
      if (!found[row]) return;
      // A frame would hide a narrow bar, so the bar is underlined.
      if (w >= 10) frame(g, x, y, w, width);
      else g.fillRect(x, y + hereHeight + thereHeight - 1, Math.max(w - 1, 2), 3);
    });
  }
  for (const [row, color] of [[scene.hovered, c.ink], [scene.selected, c.focus]] as const) {
    if (row < 0) continue;
    const scale = width / (window.to - window.from);
    g.strokeStyle = color;
    g.lineWidth = 2;
    frame(g, (icicle.left[row] - window.from) * scale, flask.depth[row] * level - window.top, icicle.width[row] * scale, width);
  }
}

function frame(g: CanvasRenderingContext2D, x: number, y: number, w: number, width: number): void {
  const from = Math.max(x, -4);
  const right = Math.min(x + Math.max(w, 3), width + 4);
  if (right > from) g.strokeRect(from + 1, y + 1, right - from - 2, hereHeight + thereHeight - 2);
}

const marks: Record<number, string> = { [Status.Matched]: "", [Status.Relabelled]: "≈ ", [Status.SubjectOnly]: "+ ", [Status.ReferenceOnly]: "− " };

/**
 * title names a row within a width, after the mark of its kind of difference. If there
 * is too little room, it leaves out the reference's name first, then cuts the class,
 * then the method.
 */
function title(g: CanvasRenderingContext2D, f: Flask, row: number, width: number): string {
  const [type, rest] = halves(subjectLabel(f, row));
  const status = f.rows.status[row];
  const mark = marks[status];
  const full = mark + type + rest;
  const both = status === Status.Relabelled ? `${full} / ${nameOf(referenceLabel(f, row)).short}` : full;
  if (widthOf(g, both) <= width) return both;
  if (widthOf(g, full) <= width) return full;
  const room = width - widthOf(g, rest);
  if (type && widthOf(g, `${mark}…`) <= room) return (fit(g, mark + type, room) || `${mark}…`) + rest;
  return fit(g, mark + rest.slice(type ? 1 : 0), width);
}

const widths = new Map<string, number>();

/** widthOf returns a text's width. It measures each text once, since that is slow. */
function widthOf(g: CanvasRenderingContext2D, text: string): number {
  const key = g.font + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20_000) widths.clear();
    widths.set(key, (width = g.measureText(text).width));
  }
  return width;
}

/** fit cuts a text to a width; empty if hardly anything fits. */
function fit(g: CanvasRenderingContext2D, text: string, width: number): string {
  const full = widthOf(g, text);
  if (full <= width) return text;
  // Letters differ in width, so the first guess may be too long.
  for (let keep = Math.floor((width / full) * text.length) - 1; keep >= 3; keep--) {
    const cut = `${text.slice(0, keep)}…`;
    if (widthOf(g, cut) <= width) return cut;
  }
  return "";
}
