// A Pen draws a picture on a canvas, or as the text of an SVG. Screen and export use the
// same drawing code.

/** A Style describes how a path is drawn. Without fill or stroke, that part is not drawn. */
export interface Style {
  fill?: string;
  stroke?: string;
  /** width of the stroke, 1 by default */
  width?: number;
  dash?: readonly number[];
}

/** A Lettering describes how a text is drawn; y is the middle of its height. */
export interface Lettering {
  fill: string;
  /** in CSS syntax */
  font: string;
  alpha?: number;
  /** which end of the text is at x, "start" by default */
  anchor?: "start" | "middle" | "end";
}

export interface Pen {
  /** rects fills rectangles of four numbers each as one path, since each fill is slow. */
  rects(list: readonly number[], fill: string, alpha?: number): void;
  /** frames strokes rectangles. */
  frames(list: readonly number[], style: Style): void;
  /** path draws an SVG path, moved by x and y. */
  path(d: string, style: Style, x?: number, y?: number): void;
  circle(x: number, y: number, r: number, style: Style): void;
  text(text: string, x: number, y: number, style: Lettering): void;
  /** measure is a text's width in pixels. */
  measure(text: string, font: string): number;
}

const widths = new Map<string, number>();

/** measured returns a text's width. It measures each text once, since that is slow. */
function measured(g: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D, text: string, font: string): number {
  const key = `${font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20_000) widths.clear();
    if (g.font !== font) g.font = font;
    widths.set(key, (width = g.measureText(text).width));
  }
  return width;
}

/** canvasPen draws onto a canvas. */
export function canvasPen(g: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D): Pen {
  const trace = (list: readonly number[]) => {
    g.beginPath();
    for (let i = 0; i < list.length; i += 4) g.rect(list[i]!, list[i + 1]!, list[i + 2]!, list[i + 3]!);
  };
  const stroke = ({ stroke, width = 1, dash = [] }: Style, path?: Path2D) => {
    g.strokeStyle = stroke!;
    g.lineWidth = width;
    g.setLineDash([...dash]);
    if (path) g.stroke(path);
    else g.stroke();
  };
  const draw = (path: Path2D, style: Style) => {
    if (style.fill) {
      g.fillStyle = style.fill;
      g.fill(path);
    }
    if (style.stroke) stroke(style, path);
  };
  return {
    rects(list, fill, alpha = 1) {
      if (list.length === 0) return;
      g.globalAlpha = alpha;
      g.fillStyle = fill;
      trace(list);
      g.fill();
      g.globalAlpha = 1;
    },
    frames(list, style) {
      if (list.length === 0) return;
      trace(list);
      stroke(style);
    },
    path(d, style, x = 0, y = 0) {
      g.translate(x, y);
      draw(new Path2D(d), style);
      g.translate(-x, -y);
    },
    circle(x, y, r, style) {
      const path = new Path2D();
      path.arc(x, y, r, 0, 2 * Math.PI);
      draw(path, style);
    },
    text(text, x, y, { fill, font, alpha = 1, anchor = "start" }) {
      g.globalAlpha = alpha;
      g.fillStyle = fill;
      g.font = font;
      g.textBaseline = "middle";
      g.textAlign = anchor === "middle" ? "center" : anchor;
      g.fillText(text, x, y);
      g.globalAlpha = 1;
    },
    measure: (text, font) => measured(g, text, font),
  };
}

/** An SvgPen writes an SVG; done returns it. */
export interface SvgPen extends Pen {
  done(): string;
}

/** svgPen writes the text of an SVG of a size in pixels. It escapes all names. */
export function svgPen(width: number, height: number, background: string): SvgPen {
  const g = new OffscreenCanvas(1, 1).getContext("2d")!;
  const out: string[] = [];
  const number = (x: number) => String(Math.round(x * 100) / 100);
  const look = ({ fill, stroke, width: w = 1, dash }: Style) =>
    ` fill="${escaped(fill ?? "none")}"${stroke ? ` stroke="${escaped(stroke)}" stroke-width="${number(w)}"` : ""}${dash?.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}`;
  const rectangles = (list: readonly number[]) => {
    let d = "";
    for (let i = 0; i < list.length; i += 4) {
      const [x, y, w, h] = list.slice(i, i + 4).map(number);
      d += `M${x} ${y}h${w}v${h}h-${w}z`;
    }
    return d;
  };
  return {
    rects(list, fill, alpha = 1) {
      if (list.length > 0) out.push(`<path d="${rectangles(list)}"${look({ fill })}${alpha < 1 ? ` opacity="${alpha}"` : ""}/>`);
    },
    frames(list, style) {
      if (list.length > 0) out.push(`<path d="${rectangles(list)}"${look({ ...style, fill: undefined })}/>`);
    },
    path: (d, style, x = 0, y = 0) => void out.push(`<path d="${escaped(d)}"${x || y ? ` transform="translate(${number(x)} ${number(y)})"` : ""}${look(style)}/>`),
    circle: (x, y, r, style) => void out.push(`<circle cx="${number(x)}" cy="${number(y)}" r="${number(r)}"${look(style)}/>`),
    text(text, x, y, { fill, font, alpha = 1, anchor = "start" }) {
      out.push(`<text x="${number(x)}" y="${number(y)}" dominant-baseline="central" text-anchor="${anchor}" style="font:${escaped(font)};white-space:pre" fill="${escaped(fill)}"${alpha < 1 ? ` opacity="${alpha}"` : ""}>${escaped(text)}</text>`);
    },
    measure: (text, font) => measured(g, text, font),
    done: () =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}">\n<rect width="100%" height="100%" fill="${escaped(background)}"/>\n${out.join("\n")}\n</svg>\n`,
  };
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** escaped writes a text for XML, which does not allow most control characters. */
const escaped = (text: string) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").replace(/[&<>"]/g, (c) => entities[c]!);

/** fit cuts a text to a width. It is empty if hardly any letter fits. */
export function fit(pen: Pen, text: string, width: number, font: string): string {
  const full = pen.measure(text, font);
  if (full <= width) return text;
  // The first guess may be too long, because letters differ in width.
  for (let keep = Math.floor((width / full) * text.length) - 1; keep >= 3; keep--) {
    const cut = `${text.slice(0, keep)}…`;
    if (pen.measure(cut, font) <= width) return cut;
  }
  return "";
}

/** fitName cuts a method's name to a width: its class first, then the method. */
export function fitName(pen: Pen, mark: string, [type, rest]: readonly [type: string, rest: string], width: number, font: string): string {
  const full = mark + type + rest;
  if (pen.measure(full, font) <= width) return full;
  const cut = type && fit(pen, type, width - pen.measure(mark + rest, font), font);
  if (cut) return mark + cut + rest;
  return fit(pen, mark + rest.slice(type ? 1 : 0), width, font);
}
