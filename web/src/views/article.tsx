// An article: paragraphs, tables, trees and charts, from top to bottom.

import type { Article, Bar, Part, Table, TreeNode } from "../article";
import { Plot } from "./plot";

export function ArticleView({ article }: { article: Article }) {
  return (
    <section class="article">
      <header><span class="brand">diffprof</span><h1>{article.title}</h1></header>
      {article.sections.map(({ title, parts }, i) => (
        <div key={i} class="part">
          {title && <h2>{title}</h2>}
          {parts.map((part, k) => <PartView key={k} part={part} />)}
        </div>
      ))}
    </section>
  );
}

function PartView({ part }: { part: Part }) {
  if (part.chart) return <Plot chart={part.chart} />;
  if (part.tree) return <ul class="conditions"><Condition node={part.tree} /></ul>;
  if (part.command !== undefined) return <pre tabIndex={0} data-scrolls role="region" aria-label="Command">{part.command}</pre>;
  if (!part.table) return <p class={part.tone}>{part.text}</p>;
  const table = <Rows table={part.table} />;
  return part.summary ? <details><summary>{part.summary}</summary>{table}</details> : table;
}

function Rows({ table: { columns, rows } }: { table: Table }) {
  return (
    <table>
      <thead>
        <tr>{columns.map(({ title, figure }, i) => <th key={i} scope="col" class={figure ? "number" : undefined}>{title}</th>)}</tr>
      </thead>
      <tbody>
        {(rows ?? []).map((cells, i) => (
          <tr key={i}>
            {cells.map(({ text, note, bars }, k) => {
              const { title, short, figure } = columns[k]!;
              const content = <>{text}{note && <span class="dim">{text && " "}{note}</span>}{bars && <Bars bars={bars} />}</>;
              return k === 0 ? <th key={k} scope="row">{content}</th> : <td key={k} class={figure ? "number" : undefined} data-of={short ?? title}>{content}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bars({ bars }: { bars: Bar[] }) {
  return (
    <div class="bars">
      {bars.map(({ text, figure, style, length, span }, i) => (
        <div key={i} class="bar">
          <span>{text}</span>
          <svg aria-hidden="true" height="12">
            <rect class={style} y="2" width={percent(length)} height="8" />
            {span && <line class="span" x1={percent(span[0])} x2={percent(span[1])} y1="6" y2="6" />}
          </svg>
          <span class="dim">{figure}</span>
        </div>
      ))}
    </div>
  );
}

const percent = (share: number) => `${100 * share}%`;

function Condition({ node: { text, note, children } }: { node: TreeNode }) {
  return (
    <li>
      {text} {note && <span class="dim">{note}</span>}
      {children && <ul>{children.map((child, i) => <Condition key={i} node={child} />)}</ul>}
    </li>
  );
}
