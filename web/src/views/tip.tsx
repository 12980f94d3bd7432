// The tooltip of the icicle.

import { referenceEnergy, referenceLabel, subjectEnergy, subjectLabel, Status, type Flask } from "../flask";
import { nameOf } from "../names";
import { change, energy, percent, ratio } from "../units";
import { unitOf, type Props } from "./parts";

/** Tip shows a row's name and its energy on both sides. */
export function Tip({ s, flask: f, row }: Pick<Props, "s"> & { flask: Flask; row: number }) {
  const unit = unitOf(s);
  const [here, there] = [subjectEnergy(f, row), referenceEnergy(f, row)];
  const share = (nj: number, all: number) => percent(nj / Math.max(all, 1));
  return (
    <>
      <b>{nameOf(subjectLabel(f, row)).short}</b>
      {f.rows.status[row] === Status.Relabelled && <span>{`there: ${nameOf(referenceLabel(f, row)).short}`}</span>}
      {f.single ? <span>{`${energy(here, unit)}, ${share(here, subjectEnergy(f, 0))} of the run`}</span> : (
        <>
          <span><i class="dot here" aria-hidden="true" />{f.rows.status[row] === Status.ReferenceOnly ? "not here" : `${energy(here, unit)} here, ${share(here, subjectEnergy(f, 0))} of the run`}</span>
          <span><i class="dot there" aria-hidden="true" />{f.rows.status[row] === Status.SubjectOnly ? "not there" : `${energy(there, unit)} there, ${share(there, referenceEnergy(f, 0))}`}</span>
          {f.rows.status[row]! <= Status.Relabelled && <span>{here === there ? "the same" : `${change(here - there, unit)} ${unit.name} ${ratio(here, there)} here`}</span>}
        </>
      )}
    </>
  );
}
