import { describe, expect, it } from "vitest";
import figures from "../../report/words/testdata/figures.json";
import settings from "../settings.json";
import { page } from "../src/page.ts";
import { forget, remember, valid, type Run } from "../src/runs.ts";
import { alphas, base, difference, name, pair, percent, plain, saving, savingShare, savingWords, since } from "../src/text.ts";

describe("names", () => {
  it("names pairs, with their folders where the files are named alike", () => {
    expect(pair({ subject: "/a/x.trace", reference: "/b/y.trace" })).toBe("x ↔ y");
    expect(pair({ subject: "/a/old/x.trace", reference: "/a/new/x.trace" })).toBe("old/x.trace ↔ new/x.trace");
    expect(base("C:\\traces\\x.trace")).toBe("x.trace");
  });

  it.each([["/a/app-5.7.trace.gz", "app-5.7"], ["C:\\b.collapsed", "b"], ["C:\\b.txt", "b"], ["/c/c.folded.zst", "c"], ["/d/d", "d"], ["/e/.trace", ".trace"], ["", ""]])("calls %s %s", (path, called) => {
    expect(name(path)).toBe(called);
  });
});

describe("plain text", () => {
  it("is never Markdown", () => {
    expect(plain("a\n\nb  c")).toBe("a b c");
    expect(plain("<img src=x> [a](command:b) `c` $(d) e@f.g &amp; h_i")).toBe(
      "\\<img src\\=x\\> \\[a\\]\\(command\\:b\\) \\`c\\` \\$\\(d\\) e\\@f\\.g \\&amp\\; h\\_i",
    );
  });
});

describe("figures", () => {
  it.each(figures.percents)("writes $share as $text, as the reports do", ({ share, text }) => expect(percent(share)).toBe(text));

  it("writes what is less than nothing with its sign", () => expect([-0.0004, -0.25].map(percent)).toEqual(["−<0.1%", "−25.0%"]));

  it("offers for α what the settings offer", () => expect(alphas.map(String)).toEqual(settings.properties["diffprof.alpha"].enum));

  it("has no share of nothing", () => {
    expect(savingShare({ savingNJ: 5 }, 0)).toBe(0);
    expect(saving({ alpha: 2, tasks: 0, unmatched: 0, energyNJ: 0, savingNJ: 0, outsideShare: 0 })).toBe("–");
    expect(saving({ alpha: 0, tasks: 9, unmatched: 1, energyNJ: 200, savingNJ: 70, outsideShare: 0 })).toBe("35.0%");
  });

  it.each([[9, 1, false, "to save"], [10, 5, false, "to save"], [10, 6, false, "only or dearer here"], [12, 11, true, "only here"]] as const)("of %d tasks without %d, with little in common: %s, calls it %s", (tasks, unmatched, littleInCommon, text) => {
    expect(savingWords({ alpha: 0, tasks, unmatched, littleInCommon, energyNJ: 200, savingNJ: 70, outsideShare: 0 })).toBe(text);
  });

  it.each([
    ["matched", "dearer here", 20, false, "could save 10.0% of the run"],
    ["matched", "dearer here", 20, true, "drains 10.0% of the run more than in the reference"],
    ["unmatched", "only here", 20, false, "could save 10.0% of the run"],
    ["unmatched", "only here", 20, true, "drains 10.0% of the run"],
    ["unmatched", "perhaps", 20, false, "drains 10.0% of the run"],
    ["matched", "cheaper here", -20, true, "drains 10.0% of the run less than in the reference"],
    ["matched", "the same", 0, false, "costs the same in both"],
  ] as const)("says of a task that is %s, %s by %d, with little in common: %s, that it %s", (status, verdict, savingNJ, littleInCommon, text) =>
    expect(difference({ status, verdict, savingNJ }, { energyNJ: 200, littleInCommon })).toBe(text));

  it.each([[0, "just now"], [59, "just now"], [60, "1 min ago"], [3600, "1 h ago"], [3 * 86400, "3 days ago"]])("says of %d seconds", (s, text) =>
    expect(since(0, s * 1000)).toBe(text));
});

describe("runs", () => {
  const run = (subject: string, when = 0): Run => ({ subject, reference: "r", when, alpha: 0, tasks: 1, unmatched: 0 });

  it("keeps each pair once, newest first, and no more than twenty", () => {
    let list: Run[] = [];
    for (let i = 0; i < 30; i++) list = remember(list, run(`s${i}`, i));
    list = remember(list, run("s25", 99));
    expect(list).toHaveLength(20);
    expect(list[0]?.when).toBe(99);
    expect(list.filter((r) => r.subject === "s25")).toHaveLength(1);
    expect(forget(list, run("s25")).some((r) => r.subject === "s25")).toBe(false);
  });

  it.each([undefined, null, 3, {}, [null, 1, {}, { subject: "a" }]])("takes nothing from %j", (stored) => expect(valid(stored)).toEqual([]));
});

describe("page", () => {
  it("allows the nonce and nothing else", () => {
    const html = page("run()", "a{}", "n0nce", "Waiting…");
    expect(html).toContain(`content="default-src 'none'; script-src 'nonce-n0nce'; style-src 'nonce-n0nce'; base-uri 'none'; form-action 'none'"`);
    expect(html).not.toMatch(/src=|href=|unsafe|https?:/);
  });

  it("cannot be ended from inside of the script or the style", () => {
    const html = page('x = "</script><b>"', "a{content:'</STYLE><b>'}", "n", "");
    expect(html.match(/<\/script/gi)).toHaveLength(1);
    expect(html.match(/<\/style/gi)).toHaveLength(1);
  });
});
