// The icicle's canvas: window, pointer and frames.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { placesOf, subjectLabel } from "../flask";
import { clamp, neighbour, rowAt, zoomed, type Icicle, type Window } from "../layout/icicle";
import { nameOf } from "../names";
import { canvasPen } from "../pen";
import { runID, type Zoom } from "../state";
import { taskOf } from "../tasks";
import { useKeys } from "./keys";
import { Pictures, type Picture } from "./export";
import { barsOf, paint, readColors, type Colors } from "./paint";
import { Tip } from "./tip";
import type { Props } from "./parts";

export interface CanvasProps extends Props {
  icicle: Icicle;
  found: Uint8Array | null;
  tasks: Uint8Array;
  selected: number;
  hovered: number;
  hover: (row: number) => void;
}

/** Canvas draws at most once per frame. */
export function Canvas(props: CanvasProps) {
  const { s, icicle, selected, send, hovered } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const stage = useMemo(() => new Stage(() => latest.current), []);
  // An address or an earlier visit decides the first window.
  const kept = useRef(s.run.zoom);
  useEffect(() => stage.attach(canvas.current!, tip.current!), []);
  useEffect(() => {
    if (kept.current) return stage.restore(kept.current);
    stage.reset();
    // A link from another view shows one row.
    if (selected > 0 && icicle.width[selected]! > 0) stage.around(selected, 4);
  }, [icicle]);
  useEffect(() => {
    if (!kept.current) stage.reveal(selected);
    kept.current = null;
  }, [selected, icicle]);
  useEffect(() => stage.draw(), [props.found, props.tasks, hovered]);
  useKeys((e) => {
    switch (e.key) {
      case "ArrowUp": case "ArrowDown": case "ArrowLeft": case "ArrowRight":
        send({ type: "select", id: runID, row: neighbour(icicle, selected, e.key) });
        return true;
      case "Enter": stage.zoomTo(selected); return true;
      case "f": {
        const task = s.report && taskOf(s.report, icicle.flask, selected);
        if (task) send({ type: "open", task: task.id, places: placesOf(icicle.flask, selected) });
        return true;
      }
      case "Escape": case "0": stage.reset(); return true;
      case "+": case "=": stage.zoom(0.5, 1 / 1.5); return true;
      case "-": stage.zoom(0.5, 1.5); return true;
      default: return false;
    }
  });
  const label = nameOf(subjectLabel(icicle.flask, selected)).short;
  return (
    <div class="stage">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`Icicle. Selected: ${label}. Arrow keys move, Enter zooms, Escape shows all; the button Outline has the same as a list.`}
      />
      <div class="tip" ref={tip} hidden={hovered < 0}>{hovered >= 0 && <Tip {...props} flask={icicle.flask} row={hovered} />}</div>
      <span class="zoom">
        <Pictures {...props} name="run" picture={() => stage.picture()} />
        <button type="button" class="small" onClick={() => stage.zoom(0.5, 1 / 1.6)} aria-label="Zoom in">+</button>
        <button type="button" class="small" onClick={() => stage.zoom(0.5, 1.6)} aria-label="Zoom out">−</button>
        <button type="button" class="small" onClick={() => stage.reset()}>All</button>
      </span>
    </div>
  );
}

/** mostLevels is the largest number of levels in a picture. */
const mostLevels = 500;

/** A Stage is the canvas with its window, pointer and frames. */
class Stage {
  private window: Window = { from: 0, to: 1, top: 0 };
  private width = 0;
  private height = 0;
  private frame = 0;
  private colors: Colors | null = null;
  private canvas: HTMLCanvasElement | null = null;
  private tip: HTMLElement | null = null;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly props: () => CanvasProps) {}

  private get level(): number {
    return barsOf(this.props().icicle.flask).level;
  }

  attach(canvas: HTMLCanvasElement, tip: HTMLElement): () => void {
    this.canvas = canvas;
    this.tip = tip;
    const stop = new AbortController();
    const { signal } = stop;
    const size = new ResizeObserver(() => this.resize());
    size.observe(canvas);
    const recolor = () => {
      this.colors = null;
      this.draw();
    };
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", recolor, { signal });
    }
    // VS Code marks its theme with classes on the body.
    const themes = new MutationObserver(recolor);
    themes.observe(document.body, { attributes: true, attributeFilter: ["class", "style"] });
    canvas.addEventListener("wheel", (e) => this.wheel(e), { signal, passive: false });
    canvas.addEventListener("pointerdown", (e) => this.press(e), { signal });
    canvas.addEventListener("pointermove", (e) => this.hover(e), { signal });
    canvas.addEventListener("pointerleave", () => this.props().hover(-1), { signal });
    return () => {
      stop.abort();
      size.disconnect();
      themes.disconnect();
      cancelAnimationFrame(this.frame);
      this.remember();
      this.canvas = null;
    };
  }

  reset(): void {
    this.show({ from: 0, to: this.props().icicle.total, top: 0 });
  }

  restore([from, to, top]: Zoom): void {
    const { total } = this.props().icicle;
    this.show({ from: from * total, to: to * total, top });
  }

  // remember stores the window in the app's state.
  private remember(): void {
    clearTimeout(this.telling);
    const { icicle, s, send } = this.props();
    const total = Math.max(icicle.total, 1);
    const { from, to, top } = this.window;
    const zoom: Zoom | null = from === 0 && to >= icicle.total && top === 0 ? null : [from / total, to / total, Math.round(top)];
    if (String(zoom) !== String(s.run.zoom)) send({ type: "run", change: { zoom } });
  }

  zoom(at: number, factor: number): void {
    this.show(zoomed(this.window, at, factor));
  }

  zoomTo(row: number): void {
    const { icicle } = this.props();
    const above = icicle.flask.depth[row]! * this.level;
    // Keep two callers visible.
    const top = above - this.window.top > this.height / 2 || above < this.window.top ? above - 2 * this.level : this.window.top;
    this.show({ from: icicle.left[row], to: icicle.left[row] + icicle.width[row], top });
  }

  /** picture draws the window to its full depth, without the pointer's marks. */
  picture(): Picture {
    const { icicle, found, tasks } = this.props();
    const height = Math.min(icicle.levels, mostLevels) * this.level;
    const colors = readColors(this.canvas!.parentElement!);
    return {
      width: this.width, height, background: colors.background,
      draw: (pen) => paint(pen, colors, { icicle, window: { ...this.window, top: 0 }, width: this.width, height, selected: -1, hovered: -1, found, tasks }),
    };
  }

  /** around shows a row in the middle of a window several times its width. */
  around(row: number, times: number): void {
    const { icicle } = this.props();
    const middle = icicle.left[row] + icicle.width[row] / 2;
    const half = (icicle.width[row] * times) / 2;
    this.show({ ...this.window, from: middle - half, to: middle + half });
  }

  /** reveal moves the window by the least distance that shows a row. */
  reveal(row: number): void {
    const { icicle } = this.props();
    const w = { ...this.window };
    const left = icicle.left[row]!;
    const right = left + icicle.width[row];
    const span = w.to - w.from;
    if (icicle.width[row] > 0 && icicle.width[row] < span / 200) {
      // Too narrow to see: zoom in.
      this.around(row, 40);
      return this.reveal(row);
    }
    if (left >= w.to || right <= w.from) {
      w.from = (left + right - span) / 2;
      w.to = w.from + span;
    }
    const y = icicle.flask.depth[row]! * this.level;
    if (y < w.top) w.top = y;
    else if (this.height > 0 && y + this.level > w.top + this.height) w.top = y + this.level - this.height;
    this.show(w);
  }

  draw(): void {
    this.frame ||= requestAnimationFrame(() => this.drawNow());
  }

  private drawNow(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const g = this.width > 0 && this.canvas?.getContext("2d", { alpha: false });
    if (!g) return;
    const scale = devicePixelRatio;
    g.setTransform(scale, 0, 0, scale, 0, 0);
    const { icicle, found, tasks, selected, hovered } = this.props();
    this.colors ??= readColors(this.canvas!.parentElement!);
    paint(canvasPen(g), this.colors, { icicle, window: this.window, width: this.width, height: this.height, selected, hovered, found, tasks });
  }

  private show(w: Window): void {
    const { icicle } = this.props();
    // Leave space below, so that every bar can be scrolled out from under the buttons.
    this.window = clamp(icicle, w, icicle.levels * this.level + 44 - this.height);
    this.draw();
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.remember(), 250);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas!;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas!.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas!.height = Math.round(clientHeight * devicePixelRatio);
    this.show(this.window);
    // A resized canvas is black until it is drawn, so draw it at once.
    this.drawNow();
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    const unit = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    const [dx, dy] = e.shiftKey && e.deltaX === 0 ? [e.deltaY * unit, 0] : [e.deltaX * unit, e.deltaY * unit];
    if (e.ctrlKey || e.metaKey) this.zoom(e.offsetX / this.width, Math.exp(Math.max(-60, Math.min(60, dy)) * 0.01));
    else this.pan(dx, dy);
  }

  private pan(dx: number, dy: number): void {
    const by = (dx / this.width) * (this.window.to - this.window.from);
    this.show({ from: this.window.from + by, to: this.window.to + by, top: this.window.top + dy });
  }

  private rowUnder(e: PointerEvent): number {
    return rowAt(this.props().icicle, this.window, { width: this.width, level: this.level }, e.offsetX, e.offsetY);
  }

  private hover(e: PointerEvent): void {
    if (e.buttons !== 0) return;
    const row = this.rowUnder(e);
    if (row !== this.props().hovered) this.props().hover(row);
    // Place the tooltip next to the pointer, on the side with enough room.
    const { style } = this.tip!;
    const [x, y] = [e.offsetX, e.offsetY];
    style.left = x < this.width / 2 ? `${x + 14}px` : "auto";
    style.right = x < this.width / 2 ? "auto" : `${this.width - x + 14}px`;
    style.top = y < this.height / 2 ? `${y + 14}px` : "auto";
    style.bottom = y < this.height / 2 ? "auto" : `${this.height - y + 14}px`;
  }

  private press(e: PointerEvent): void {
    if (e.button !== 0) return;
    const canvas = this.canvas!;
    canvas.setPointerCapture(e.pointerId);
    const stop = new AbortController();
    let { clientX: x, clientY: y } = e;
    let moved = 0;
    canvas.addEventListener("pointermove", (m) => {
      moved += Math.abs(m.clientX - x) + Math.abs(m.clientY - y);
      if (moved > 3) this.pan(x - m.clientX, y - m.clientY);
      x = m.clientX;
      y = m.clientY;
    }, { signal: stop.signal });
    canvas.addEventListener("pointerup", (up) => {
      stop.abort();
      if (moved > 3) return;
      const row = this.rowUnder(up);
      if (row < 0) return;
      const { send } = this.props();
      send({ type: "select", id: runID, row });
      this.zoomTo(row);
    }, { signal: stop.signal });
    canvas.addEventListener("pointercancel", () => stop.abort(), { signal: stop.signal });
  }
}
