import { describe, expect, it } from "vitest";
import figures from "../../report/words/testdata/figures.json";
import settings from "../settings.json";
import { page } from "../src/page.ts";
import { forget, remember, valid, type Run } from "../src/runs.ts";
import { alphas, base, cameTo, findings, name, pair, percent, plain, savingShare, since } from "../src/text.ts";

describe("names", () => {
  it("names pairs, with their folders if the files have the same name", () => {
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
  it.each(figures.percents)("writes $share as $text, like the reports", ({ share, text }) => expect(percent(share)).toBe(text));

  it("writes negative shares with their sign", () => expect([-0.0004, -0.25].map(percent)).toEqual(["−<0.1%", "−25.0%"]));

  it("offers the same values for α as the settings", () => expect(alphas.map(String)).toEqual(settings.properties["diffprof.alpha"].enum));

  it("has no share of an empty run", () => {
    expect(savingShare({ savingNJ: 5 }, 0)).toBe(0);
  });

  it.each([[0, "no findings"], [1, "1 finding"], [9, "9 findings"]])("counts %d", (n, text) => expect(findings({ findings: n })).toBe(text));

  it.each([[0, "just now"], [59, "just now"], [60, "1 min ago"], [3600, "1 h ago"], [3 * 86400, "3 days ago"]])("writes %d seconds", (s, text) =>
    expect(since(0, s * 1000)).toBe(text));
});

describe("runs", () => {
  const run = (subject: string, when = 0): Run => ({ subject, reference: "r", when, alpha: 0, findings: 1, sentence: "a uses more." });

  it("keeps each pair once, newest first, and no more than twenty", () => {
    let list: Run[] = [];
    for (let i = 0; i < 30; i++) list = remember(list, run(`s${i}`, i));
    list = remember(list, run("s25", 99));
    expect(list).toHaveLength(20);
    expect(list[0]?.when).toBe(99);
    expect(list.filter((r) => r.subject === "s25")).toHaveLength(1);
    expect(forget(list, run("s25")).some((r) => r.subject === "s25")).toBe(false);
  });

  it("keeps runs of an older version, without a number of findings", () => {
    const old: Run & { tasks: number; unmatched: number } = { subject: "a", reference: "b", when: 1, alpha: 0, tasks: 7, unmatched: 2 };
    expect(valid([old, run("a")])).toEqual([old, run("a")]);
    expect([cameTo(old), cameTo(run("a"))]).toEqual(["", "1 finding"]);
    expect(valid([{ ...run("a"), findings: "many" }, { ...run("a"), sentence: 3 }])).toEqual([]);
  });

  it.each([undefined, null, 3, {}, [null, 1, {}, { subject: "a" }]])("ignores %j", (stored) => expect(valid(stored)).toEqual([]));
});

describe("page", () => {
  it("allows the nonce and nothing else", () => {
    const html = page("run()", "a{}", "n0nce", "Waiting…");
    expect(html).toContain(`content="default-src 'none'; script-src 'nonce-n0nce'; style-src 'nonce-n0nce'; base-uri 'none'; form-action 'none'"`);
    expect(html).not.toMatch(/src=|href=|unsafe|https?:/);
  });

  it("cannot be ended from inside the script or the style", () => {
    const html = page('x = "</script><b>"', "a{content:'</STYLE><b>'}", "n", "");
    expect(html.match(/<\/script/gi)).toHaveLength(1);
    expect(html.match(/<\/style/gi)).toHaveLength(1);
  });
});
