// A chart of an article. It fills the width of its container.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Chart } from "../article";
import { labelsOf, pathOf, roomy, scaleOf } from "../layout/chart";

/** The height of a drawing and the margins around it, in pixels. */
const drawn = 200;
const head = 16;
const right = 16;
const foot = 30;

/** rowHeight is the height of a row of texts above the drawing. */
const rowHeight = 15;

/** The width of a tick's text below the axis, and the width of a letter, in pixels. */
const tickWidth = 80;
const letter = 6.5;

export function Plot({ chart }: { chart: Chart }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const look = () => setWidth(place.current!.clientWidth);
    const observer = new ResizeObserver(look);
    observer.observe(place.current!);
    look();
    return () => observer.disconnect();
  }, []);
  return <div class="plot" ref={place}>{width > 0 && <Drawing chart={chart} width={width} />}</div>;
}

function Drawing({ chart, width }: { chart: Chart; width: number }) {
  const { label, caption, bands = [], lines = [], rules = [], points = [] } = chart;
  const left = 12 + letter * Math.max(0, ...chart.y.ticks.map(({ text }) => text.length));
  const x = scaleOf(chart.x, left, width - right);
  const labels = labelsOf(rules, x, letter, width);
  const top = head + rowHeight * Math.max(0, ...labels.map(({ row }) => row + 1));
  const bottom = top + drawn;
  const height = bottom + foot;
  const y = scaleOf(chart.y, bottom, top);
  return (
    <>
      <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        {chart.y.ticks.map((t) => (
          <g key={t.at}>
            <line class="gridline" x1={left} x2={width - right} y1={y(t.at)} y2={y(t.at)} />
            <text class="end" x={left - 6} y={y(t.at) + 4}>{t.text}</text>
          </g>
        ))}
        <line class="gridline" x1={left} x2={width - right} y1={bottom} y2={bottom} />
        {bands.map(({ points }, i) => <path key={i} class="band" d={`${pathOf([...points.map(([at, , high]) => [x(at), y(high)] as const), ...points.map(([at, low]) => [x(at), y(low)] as const).reverse()])}Z`} />)}
        {lines.map(({ points, style }, i) => <path key={i} class={`trace ${style}`} d={pathOf(points.map(([at, value]) => [x(at), y(value)]))} />)}
        {rules.map(({ at, text, tone }, i) => {
          const label = labels[i]!;
          return (
            <g key={i} class={`rule ${tone}`}>
              <line x1={x(at)} x2={x(at)} y1={top - 8 - rowHeight * label.row} y2={bottom} />
              <text class={label.end ? "end" : undefined} x={label.x} y={top - 10 - rowHeight * label.row}>{text}</text>
            </g>
          );
        })}
        {points.map((p, i) => (
          <g key={i}>
            <title>{p.tip}</title>
            {p.parts?.map((value, k) => <circle key={k} class="single" cx={x(p.x) + (k % 5) * 3 - 6} cy={y(value)} r="2.5" />)}
            {p.span && <line class="span" x1={x(p.x)} x2={x(p.x)} y1={y(p.span[0])} y2={y(p.span[1])} />}
            <circle class="whole" cx={x(p.x)} cy={y(p.y)} r="5" />
          </g>
        ))}
        {roomy(chart.x.ticks, x, tickWidth).map((t) => <text key={t.at} class="middle" x={Math.min(Math.max(x(t.at), left), width - right)} y={bottom + 20}>{t.text}</text>)}
      </svg>
      {caption && <p class="dim caption">{caption}</p>}
    </>
  );
}
