// Energy by package: where both runs drained it, each nanojoule counted once.

import { referenceLabel, subjectLabel, Kind, type Flask } from "./flask";
import { nameOf } from "./names";

/** A Share is what the methods of a package drained by themselves. */
export interface PackageEnergy {
  package: string;
  subjectNJ: number;
  referenceNJ: number;
}

/** leftOut names what the data has no rows for, so that the sum is the total. */
export const leftOut = "(left out of this file)";

/** byPackage adds up the rows' own energy; the sums over all packages are the root's energies. */
export function byPackage(run: Flask): PackageEnergy[] {
  const sums = new Map<string, PackageEnergy>();
  const add = (name: string, subjectNJ: number, referenceNJ: number) => {
    if (subjectNJ === 0 && referenceNJ === 0) return;
    let sum = sums.get(name);
    if (!sum) sums.set(name, (sum = { package: name, subjectNJ: 0, referenceNJ: 0 }));
    sum.subjectNJ += subjectNJ;
    sum.referenceNJ += referenceNJ;
  };
  const { subjectSelfNJ, referenceSelfNJ, prunedSubjectNJ, prunedReferenceNJ } = run.rows;
  for (let i = 0; i < run.size; i++) {
    if (subjectSelfNJ[i] > 0) add(owner(run, i, subjectLabel(run, i)), subjectSelfNJ[i], 0);
    if (referenceSelfNJ[i] > 0) add(owner(run, i, referenceLabel(run, i)), 0, referenceSelfNJ[i]);
    add(leftOut, prunedSubjectNJ[i], prunedReferenceNJ[i]);
  }
  return [...sums.values()].sort(
    (a, b) => Math.max(b.subjectNJ, b.referenceNJ) - Math.max(a.subjectNJ, a.referenceNJ) || (a.package < b.package ? -1 : 1),
  );
}

function owner(f: Flask, row: number, label: string): string {
  if (f.rows.kind[row] === Kind.Toplevel) return label;
  const name = nameOf(label);
  if (name.package) return name.package;
  return name.class === "*" ? "(callbacks of the app)" : "(no package)";
}
