import { describe, expect, it } from "vitest";
import { candidates, find, judge, type Places } from "../src/binary.ts";

const places: Places = {
  setting: "", extension: "/ext", path: "/usr/bin:/opt/bin", delimiter: ":", platform: "linux", home: "/home/me", workspace: "/project",
};

describe("candidates", () => {
  it("looks in the extension, then on PATH", () => {
    expect(candidates(places).map((c) => c.path)).toEqual(["/ext/bin/diffprof", "/usr/bin/diffprof", "/opt/bin/diffprof"]);
    expect(candidates(places).map((c) => c.origin)).toEqual(["extension", "path", "path"]);
  });

  it("uses a setting as the only place", () => {
    expect(candidates({ ...places, setting: " /mine/diffprof " })).toEqual([{ path: "/mine/diffprof", origin: "setting" }]);
  });

  it.each([
    ["~/bin/diffprof", "/home/me/bin/diffprof"],
    ["${workspaceFolder}/tools/diffprof", "/project/tools/diffprof"],
    ["tools/diffprof", "/project/tools/diffprof"],
    ["~", "/home/me"],
  ])("expands %s", (setting, path) => {
    expect(candidates({ ...places, setting })[0]?.path).toBe(path);
  });

  it("ignores relative and empty folders of PATH", () => {
    expect(candidates({ ...places, path: ".::bin:/usr/bin:" }).map((c) => c.path)).toEqual(["/ext/bin/diffprof", "/usr/bin/diffprof"]);
    expect(candidates({ ...places, path: "" })).toHaveLength(1);
  });

  it("knows Windows' names and drives", () => {
    const list = candidates({ ...places, platform: "win32", delimiter: ";", path: "C:\\tools;tools;\\\\share\\bin" });
    expect(list).toHaveLength(3);
    expect(list.every((c) => c.path.endsWith("diffprof.exe"))).toBe(true);
  });
});

describe("find", () => {
  it("returns the first executable one", () => {
    expect(find(candidates(places), (p) => p.startsWith("/opt"))).toEqual({ path: "/opt/bin/diffprof", origin: "path" });
    expect(find(candidates(places), () => false)).toBeNull();
  });
});

describe("judge", () => {
  const of = (version: unknown) => judge(JSON.stringify({ version }), "1.2.0").fit;

  it.each([
    ["1.2.0", "yes"], ["v1.2.0", "yes"], ["1.2.1", "yes"], ["1.10.0", "yes"], ["1.2.0-3-gabc", "yes"],
    ["1.1.9", "old"], ["0.9.0", "old"], ["v1.1.0-rc1", "old"],
    ["2.0.0", "new"], ["10.0.0", "new"],
    ["249e026-dirty", "unreleased"], ["(devel)", "unreleased"], ["unknown", "unreleased"], ["v0.0.0-20261121-abc", "unreleased"],
    ["", "other"], [7, "other"], [null, "other"],
  ])("calls %s %s", (version, fit) => expect(of(version)).toBe(fit));

  it.each(["", "diffprof 1.0", "null", "[]", "{}"])("treats a program with the output %j as another one", (output) => {
    let fit = "threw";
    try {
      fit = judge(output, "1.2.0").fit;
    } catch {}
    expect(fit).toBe("other");
  });
});
