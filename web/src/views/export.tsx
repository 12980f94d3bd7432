// Buttons that save pictures and tables as files.

import { canvasPen, svgPen, type Pen } from "../pen";
import { grouped } from "../units";
import type { Props } from "./parts";
import { printedRows } from "./window";

/** A Picture is a drawing for any pen, with its size in pixels. */
export interface Picture {
  width: number;
  height: number;
  background: string;
  draw(pen: Pen): void;
}

/** mostPixels is the longest side of a PNG that browsers draw. */
const mostPixels = 16_000;

/** Pictures saves a drawing as SVG or PNG. */
export function Pictures({ host, say, name, picture }: Pick<Props, "host" | "say"> & { name: string; picture: () => Picture }) {
  if (!host.save) return null;
  const save = host.save;
  const svg = () => {
    const { width, height, background, draw } = picture();
    const pen = svgPen(width, height, background);
    draw(pen);
    save(fileName(name, "svg"), new Blob([pen.done()], { type: "image/svg+xml" }));
  };
  const png = async () => {
    const { width, height, background, draw } = picture();
    const scale = Math.min(2, mostPixels / Math.max(width, height));
    const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
    const g = canvas.getContext("2d", { alpha: false })!;
    g.fillStyle = background;
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.scale(scale, scale);
    draw(canvasPen(g));
    save(fileName(name, "png"), await canvas.convertToBlob({ type: "image/png" }));
  };
  return (
    <span class="export" role="group" aria-label="Save the drawing">
      <button type="button" class="small" title="Save the drawing as SVG" onClick={svg}>SVG</button>
      <button type="button" class="small" title="Save the drawing as PNG" onClick={() => void png().catch((why: unknown) => say(`The picture could not be saved: ${String(why)}`))}>PNG</button>
    </span>
  );
}

/** Csv saves a table. */
export function Csv({ host, name, table }: Pick<Props, "host"> & { name: string; table: () => string }) {
  if (!host.save) return null;
  const save = host.save;
  return (
    <button type="button" class="small export" title="Save the table as CSV, with the current filter and order" onClick={() => save(fileName(name, "csv"), new Blob([table()], { type: "text/csv" }))}>CSV</button>
  );
}

/** OnPaper is a note that only paper shows: the list is longer than its printed part. */
export function OnPaper({ rows, height }: { rows: number; height: number }) {
  const most = printedRows(height);
  return rows > most ? <p class="onpaper">{`The first ${grouped(most)} of ${grouped(rows)} rows.`}</p> : null;
}

/** fileName makes a valid file name from a name with any characters. */
const fileName = (name: string, extension: string) => `diffprof-${name.replace(/[^\w.-]+/g, "_").slice(0, 80)}.${extension}`;
