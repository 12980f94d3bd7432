// The conclusion of the report, above the list of tasks.

import type { ComponentChildren } from "preact";
import { first, sentences, source, unlike } from "../headline";
import { nameOf } from "../names";
import { openLine, unitOf, type Props } from "./parts";

export function Headline({ s, send, compact }: Props) {
  const report = s.report!;
  const begin = first(report);
  const why = unlike(report);
  return (
    <section class="inshort" aria-label="In short">
      <Sentences list={sentences(s, unitOf(s))}>
        {begin && <>{" "}<button type="button" class="inline" onClick={() => openLine(send, begin)}>{`Show ${nameOf(begin.task.method).short}`}</button></>}
      </Sentences>
      {/* If the window is high enough, the list shows this sentence itself. */}
      {compact && <span class="dim">{source(report, unitOf(s))}</span>}
      {report.fleet && <p class="doubt apart"><b>Fleet:</b> {`${report.fleet.message}.`}</p>}
      {why && <p class="doubt apart unlike"><b>The runs differ in kind:</b> {why}.</p>}
    </section>
  );
}

/** Sentences shows the conclusion of the report, the most important sentence on its own. The children follow it. */
export function Sentences({ list: [verdict, ...rest], children }: { list: readonly string[]; children?: ComponentChildren }) {
  return (
    <>
      <p><b>{verdict}</b>{children}</p>
      {rest.length > 0 && <p>{rest.join(" ")}</p>}
    </>
  );
}
