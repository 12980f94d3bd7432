// Both runs at once: an icicle in which the matching aligns the places.

import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ancestors, placesOf, referenceLabel, subjectLabel, weight, Status, type Flask } from "../flask";
import { clamp, differenceIcicle, energyIcicle, neighbour, rowAt, zoomed, type Icicle, type Window } from "../layout/icicle";
import { nameOf } from "../names";
import { runID } from "../state";
import { taskOf, taskRows } from "../tasks";
import { change, count, energy, grouped } from "../units";
import { Detail, ToFlask } from "./detail";
import { Trees, useFlask } from "./flask";
import { level, paint, readColors, type Colors } from "./paint";
import { Empty, unitOf, type Props } from "./parts";

export function Run(props: Props) {
  const { s } = props;
  useFlask(props, runID);
  const slot = s.flasks.get(runID);
  if (!slot || "waiting" in slot) return <Empty><p role="status">Fetching the call trees…</p></Empty>;
  if ("error" in slot) return <Empty><p role="alert">{slot.error}</p></Empty>;
  return <Whole {...props} flask={slot.flask} />;
}

/** Whole shows both runs as an icicle or as an outline, with a search over either. */
function Whole(props: Props & { flask: Flask }) {
  const { s, send, flask: f } = props;
  const icicle = useMemo(() => (s.run.onlyDifferences ? differenceIcicle(f) : energyIcicle(f)), [f, s.run.onlyDifferences]);
  const found = useMemo(() => search(f, s.run.query, s.run.table ? null : icicle), [f, s.run.query, s.run.table, icicle]);
  const tools = (
    <>
      <div class="switch" role="group" aria-label="Drawing">
        <button type="button" aria-pressed={!s.run.table} onClick={() => send({ type: "run", change: { table: false } })}>Icicle</button>
        <button type="button" aria-pressed={s.run.table} onClick={() => send({ type: "run", change: { table: true } })}>Outline</button>
      </div>
      <Finder {...props} found={found} />
    </>
  );
  return (
    <section class="runview">
      {s.run.table ? <Trees {...props} id={runID} whole found={found?.marks}>{tools}</Trees> : <Drawing {...props} icicle={icicle} found={found} tools={tools} />}
    </section>
  );
}

/** Finder searches both runs, and goes from one result to the next. */
function Finder({ s, send, found }: Props & { found: Found | null }) {
  const results = found ? found.rows.length : 0;
  const at = found ? found.rows.indexOf(s.selected.get(runID) ?? 0) : -1;
  const step = (by: number) => {
    if (!found || results === 0) return;
    send({ type: "select", id: runID, row: found.rows[(Math.max(at, by < 0 ? 0 : -1) + by + results) % results], unfold: true });
  };
  return (
    <>
      <input
        type="search"
        placeholder="Find a method"
        aria-label="Find methods in both runs"
        value={s.run.query}
        onInput={(e) => send({ type: "run", change: { query: e.currentTarget.value } })}
        onKeyDown={(e) => {
          if (e.key === "Enter") step(e.shiftKey ? -1 : 1);
        }}
      />
      {found && (
        <span role="status" class="dim found">
          {at >= 0 ? `${grouped(at + 1)} of ${count(results, "place")}` : count(results, "place")}
          {results > 1 && <button type="button" class="small" onClick={() => step(1)}>Next</button>}
        </span>
      )}
    </>
  );
}

function Drawing(props: Props & { flask: Flask; icicle: Icicle; found: Found | null; tools: VNode }) {
  const { s, send, flask: f, icicle, found, tools } = props;
  const unit = unitOf(s);
  const tasks = useMemo(() => taskRows(s.report!, f), [s.report, f]);
  const selected = s.selected.get(runID) ?? 0;
  const [hovered, hover] = useState(-1);
  const shown = hovered >= 0 ? hovered : selected;
  return (
    <>
      <div class="toolbar">
        {tools}
        <label class="check">
          <input type="checkbox" checked={s.run.onlyDifferences} onChange={(e) => send({ type: "run", change: { onlyDifferences: e.currentTarget.checked } })} />
          Only what differs
        </label>
        <ul class="legend" aria-label="Key">
          <li><i class="swatch here" />here</li>
          <li><i class="swatch here only" />+ only here</li>
          <li><i class="swatch there" />there</li>
          <li><i class="swatch there only" />− only there</li>
          <li><b>bold</b>a task begins</li>
        </ul>
      </div>
      {icicle.total > 0 ? (
        <Canvas {...props} found={found?.marks ?? null} tasks={tasks} selected={selected} hovered={hovered} hover={hover} />
      ) : (
        <Empty><p>Nothing differs.</p></Empty>
      )}
      <div class="strip" aria-live="polite">
        <b>{nameOf(subjectLabel(f, shown)).short}</b>
        {f.rows.status[shown] === Status.Relabelled && ` / ${nameOf(referenceLabel(f, shown)).short}`}
        <span>{sides(f, shown, unit)}</span>
        <span class="dim path">{ancestors(f, shown).slice(1, -1).map((i) => nameOf(subjectLabel(f, i)).short).join(" › ")}</span>
        <ToFlask {...props} row={selected} />
      </div>
      <details class="about">
        <summary>Details of the selected method, and how to read this</summary>
        <div class="split">
          <Detail {...props} flask={f} row={selected} whole />
          <div class="help">
            <p>
              Callers lie above what they call. In each place, the upper bar is the subject's energy, the lower one the
              reference's, from the same edge and to the same scale; the matching decides which two share a place, not their names.
              With “Only what differs” a place is as wide as what its methods drain more by themselves, here and there together.
            </p>
            <p>
              Click or <kbd>Enter</kbd> zooms to a place, <kbd>Esc</kbd> back out. Drag or scroll to move, <kbd>Ctrl</kbd> and
              scroll, or <kbd>+</kbd> and <kbd>−</kbd>, to zoom. Arrow keys go to caller, callee and neighbours. “Outline” has the same as a list.
            </p>
          </div>
        </div>
      </details>
    </>
  );
}

function sides(f: Flask, row: number, unit: ReturnType<typeof unitOf>): string {
  const { subjectNJ, referenceNJ, status } = f.rows;
  if (status[row] === Status.SubjectOnly) return `${energy(subjectNJ[row], unit)}, only here`;
  if (status[row] === Status.ReferenceOnly) return `${energy(referenceNJ[row], unit)}, only there`;
  return `${energy(subjectNJ[row], unit)} here, ${energy(referenceNJ[row], unit)} there (${change(subjectNJ[row] - referenceNJ[row], unit)})`;
}

interface Found {
  rows: number[];
  marks: Uint8Array;
}

/** search finds rows by their methods' names, dearest first. In an icicle it finds only rows that have a place. It returns null if no name is given. */
function search(f: Flask, query: string, icicle: Icicle | null): Found | null {
  const text = query.trim().toLowerCase();
  if (!text) return null;
  const hits = f.labels.map((label) => label.toLowerCase().includes(text));
  const marks = new Uint8Array(f.size);
  const rows: number[] = [];
  for (let i = 0; i < f.size; i++) {
    if (icicle && icicle.width[i] <= 0) continue;
    const other = f.rows.referenceLabel[i];
    if (hits[f.rows.label[i]] || (other >= 0 && hits[other])) {
      marks[i] = 1;
      rows.push(i);
    }
  }
  rows.sort((a, b) => weight(f, b) - weight(f, a) || a - b);
  return { rows, marks };
}

interface CanvasProps extends Props {
  icicle: Icicle;
  found: Uint8Array | null;
  tasks: Uint8Array;
  selected: number;
  hovered: number;
  hover: (row: number) => void;
}

/** Canvas draws at most once a frame. The window that it shows is not part of the app's state. */
function Canvas(props: CanvasProps) {
  const { s, icicle, selected, send } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const stage = useMemo(() => new Stage(() => latest.current), []);
  useEffect(() => stage.attach(canvas.current!), []);
  useEffect(() => {
    stage.reset();
    // A reader who comes from another view wants to see one row.
    if (selected > 0 && icicle.width[selected] > 0) stage.around(selected, 4);
  }, [icicle]);
  useEffect(() => stage.reveal(selected), [selected, icicle]);
  useEffect(() => stage.draw(), [props.found, props.tasks, props.hovered]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.altKey || e.metaKey) return;
    switch (e.key) {
      case "ArrowUp": case "ArrowDown": case "ArrowLeft": case "ArrowRight":
        send({ type: "select", id: runID, row: neighbour(icicle, selected, e.key) });
        break;
      case "Enter": stage.zoomTo(selected); break;
      case "f": {
        const task = taskOf(s.report!, icicle.flask, selected);
        if (task) send({ type: "open", task: task.id, places: placesOf(icicle.flask, selected) });
        break;
      }
      case "Escape": case "0": stage.reset(); break;
      case "+": case "=": stage.zoom(0.5, 1 / 1.5); break;
      case "-": stage.zoom(0.5, 1.5); break;
      default: return;
    }
    e.preventDefault();
  };
  const label = nameOf(subjectLabel(icicle.flask, selected)).short;
  return (
    <div class="stage">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`Icicle of both runs. Selected: ${label}. Arrow keys move, Enter zooms, Escape shows all; the button Outline has the same as a list.`}
        onKeyDown={onKeyDown}
      />
      <span class="zoom">
        <button type="button" class="small" onClick={() => stage.zoom(0.5, 1 / 1.6)} aria-label="Zoom in">+</button>
        <button type="button" class="small" onClick={() => stage.zoom(0.5, 1.6)} aria-label="Zoom out">−</button>
        <button type="button" class="small" onClick={() => stage.reset()}>All</button>
      </span>
    </div>
  );
}

/** A Stage is the canvas with its window, its pointer and its frames. */
class Stage {
  private window: Window = { from: 0, to: 1, top: 0 };
  private width = 0;
  private height = 0;
  private frame = 0;
  private colors: Colors | null = null;
  private canvas: HTMLCanvasElement | null = null;

  constructor(private readonly props: () => CanvasProps) {}

  attach(canvas: HTMLCanvasElement): () => void {
    this.canvas = canvas;
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
    // VS Code names its theme by classes on the body.
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
      this.canvas = null;
    };
  }

  reset(): void {
    this.show({ from: 0, to: this.props().icicle.total, top: 0 });
  }

  zoom(at: number, factor: number): void {
    this.show(zoomed(this.window, at, factor));
  }

  zoomTo(row: number): void {
    const { icicle } = this.props();
    const above = icicle.flask.depth[row] * level;
    // Keep two callers in sight.
    const top = above - this.window.top > this.height / 2 || above < this.window.top ? above - 2 * level : this.window.top;
    this.show({ from: icicle.left[row], to: icicle.left[row] + icicle.width[row], top });
  }

  /** around shows a row in the middle of a window that is several times as wide. */
  around(row: number, times: number): void {
    const { icicle } = this.props();
    const middle = icicle.left[row] + icicle.width[row] / 2;
    const half = (icicle.width[row] * times) / 2;
    this.show({ ...this.window, from: middle - half, to: middle + half });
  }

  /** reveal moves the window as little as it must to show a row. */
  reveal(row: number): void {
    const { icicle } = this.props();
    const w = { ...this.window };
    const left = icicle.left[row];
    const right = left + icicle.width[row];
    const span = w.to - w.from;
    if (icicle.width[row] > 0 && icicle.width[row] < span / 200) {
      // Too narrow to be seen: zoom until it is not.
      this.around(row, 40);
      return this.reveal(row);
    }
    if (left >= w.to || right <= w.from) {
      w.from = (left + right - span) / 2;
      w.to = w.from + span;
    }
    const y = icicle.flask.depth[row] * level;
    if (y < w.top) w.top = y;
    else if (this.height > 0 && y + level > w.top + this.height) w.top = y + level - this.height;
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
    paint(g, this.colors, { icicle, window: this.window, width: this.width, height: this.height, selected, hovered, found, tasks });
  }

  private show(w: Window): void {
    const { icicle } = this.props();
    // The room below lets every bar be scrolled out from under the buttons.
    this.window = clamp(icicle, w, icicle.levels * level + 44 - this.height);
    this.draw();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas!;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas!.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas!.height = Math.round(clientHeight * devicePixelRatio);
    this.show(this.window);
    // A canvas of a new size is black until it is drawn, so draw it at once.
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
    return rowAt(this.props().icicle, this.window, { width: this.width, level }, e.offsetX, e.offsetY);
  }

  private hover(e: PointerEvent): void {
    if (e.buttons !== 0) return;
    const row = this.rowUnder(e);
    if (row !== this.props().hovered) this.props().hover(row);
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
