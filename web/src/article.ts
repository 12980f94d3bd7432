// An article: sentences, tables and charts that the program wrote, such as the trend of a history
// or an answer about a fleet. The views add nothing to it.

export interface Article {
  title: string;
  sections: { title?: string; parts: Part[] }[];
}

/** Exactly one kind of content is set in a Part. A text may also have a tone. A table may also have
 * a summary, which folds it. */
export interface Part {
  text?: string;
  tone?: "worse" | "better" | "dim";
  command?: string;
  table?: Table;
  summary?: string;
  chart?: Chart;
  tree?: TreeNode;
}

export interface Table {
  columns: { title: string; short?: string; figure?: boolean }[];
  rows: { text: string; note?: string; bars?: Bar[] }[][] | null;
}

/** A Bar has its length and the ends of its interval in shares of the table's scale. */
export interface Bar {
  text: string;
  figure: string;
  style: "with" | "without";
  length: number;
  span?: [number, number];
}

export interface TreeNode {
  text: string;
  note?: string;
  children?: TreeNode[];
}

/** A Chart has coordinates in values of its axes. */
export interface Chart {
  label: string;
  caption?: string;
  x: Axis;
  y: Axis;
  bands?: { points: [x: number, low: number, high: number][] }[];
  lines?: { points: [x: number, y: number][]; style: "with" | "without" | "level" }[];
  rules?: { at: number; text: string; tone: string }[];
  points?: { x: number; y: number; span?: [number, number]; parts?: number[]; tip: string }[];
}

export interface Axis {
  from: number;
  to: number;
  log?: boolean;
  ticks: Tick[];
}

export interface Tick {
  at: number;
  text: string;
}
