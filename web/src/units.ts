// Writes figures as text. Data has whole nanojoules, and only this file rounds. Package words rounds
// the same way: report/words/testdata/figures.json tests both.

/** A Unit is the common scale of all energies on a page. */
export interface Unit {
  name: string;
  /** nanojoules in one unit */
  nanojoules: number;
}

const joules: Unit[] = [
  { name: "J", nanojoules: 1e9 },
  { name: "mJ", nanojoules: 1e6 },
  { name: "µJ", nanojoules: 1e3 },
  { name: "nJ", nanojoules: 1 },
];

/** unitFor returns the unit in which a total has one to five digits before the point. */
export function unitFor(total: number): Unit {
  return joules.find((u) => total >= 10 * u.nanojoules) ?? joules[joules.length - 1];
}

/** plain is for numbers without a stated unit. */
const plain: Unit[] = [{ name: "units", nanojoules: 1 }];

/** unitsAt lists the units to choose from. It adds a unit of charge if the battery's voltage is known. If an input has an unknown unit, plain numbers are the only choice. */
export function unitsAt(volts: number, ...inputs: { unit?: string }[]): Unit[] {
  if (inputs.some((input) => input.unit === "unknown")) return plain;
  return volts > 0 ? [...joules, { name: "µAh", nanojoules: volts * 3.6e6 }] : joules;
}

/** noun names the measured quantity. It is "total" if the unit is unknown, since the figures may not be energy. */
export const noun = (unit: Unit): string => (unit === plain[0] ? "total" : "energy");

/** Noun is noun at the beginning of a sentence. */
export const Noun = (unit: Unit): string => noun(unit).replace(/^./, (first) => first.toUpperCase());

/** amount writes an energy with three digits, without its unit. An energy too small for three digits is "~0", never "0". */
export function amount(nj: number, unit: Unit): string {
  const x = nj / unit.nanojoules;
  if (x === 0) return "0";
  // Nanojoules are whole, except in an energy per call.
  if (unit.nanojoules === 1 && Number.isInteger(x)) return (x < 0 ? "−" : "") + grouped(Math.abs(x));
  return Math.abs(x) < 0.001 ? "~0" : digits(x);
}

/** digits writes a number with three digits; a number of a thousand or more keeps all digits before the point. */
function digits(x: number): string {
  const size = Math.abs(x);
  // A number above a bound would have four digits if it had one more digit after the point.
  const behind = [99.95, 9.995, 0.9995, 0.09995, 0.009995].findIndex((bound) => size >= bound);
  const text = size.toFixed(behind < 0 ? 5 : behind);
  return (x < 0 ? "−" : "") + (behind === 0 ? grouped(Number(text)) : text);
}

/** energy writes an energy with its unit. */
export function energy(nj: number, unit: Unit): string {
  const one = unit === plain[0] && Math.abs(nj) === 1;
  return `${amount(nj, unit)} ${one ? "unit" : unit.name}`;
}

/** change writes a difference with its sign. */
export function change(nj: number, unit: Unit): string {
  return (nj > 0 ? "+" : "") + amount(nj, unit);
}

/** percent writes a share of 1. */
export function percent(share: number): string {
  if (share !== 0 && Math.abs(share) < 0.0005) return share < 0 ? "−<0.1%" : "<0.1%";
  return `${(100 * share).toFixed(1)}%`.replace("-", "−");
}

/** grouped writes a whole number with thin spaces every three digits. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** count writes a number with its noun. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** ratio writes here divided by there as a factor; empty if they hardly differ or one is 0. */
export function ratio(here: number, there: number): string {
  if (here <= 0 || there <= 0) return "";
  const x = here >= there ? here / there : there / here;
  if (x < 1.05) return "";
  const text = x >= 1000 ? grouped(Math.round(x)) : x >= 9.95 ? x.toFixed(0) : x.toFixed(1);
  return here >= there ? `×${text}` : `÷${text}`;
}

/** duration writes nanoseconds, to three digits. */
export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return ns === 0 ? "0" : `${ns} ns`.replace("-", "−");
  const [scale, name] = size >= 999.5e6 ? [1e9, "s"] : size >= 999.5e3 ? [1e6, "ms"] : [1e3, "µs"];
  return `${digits(ns / scale)} ${name}`;
}

/** rounded is a note for percentages that do not add up to 100% because they are rounded. */
export function rounded(parts: number[], total: number): string {
  const tenths = parts.reduce((sum, part) => sum + Math.round((1000 * part) / total), 0);
  return total <= 0 || tenths === 1000 ? "" : "rounded";
}
