import { describe, expect, it } from "vitest";
import { candidates, find, judge, type Places } from "../src/binary.ts";

const places: Places = {
  setting: "", extension: "/ext", path: "/usr/bin:/opt/bin", delimiter: ":", platform: "linux", home: "/home/me", workspace: "/project",
};

describe("candidates", () => {
  it("looks beside the extension, then on PATH", () => {
    expect(candidates(places).map((c) => c.path)).toEqual(["/ext/bin/diffprof", "/usr/bin/diffprof", "/opt/bin/diffprof"]);
    expect(candidates(places).map((c) => c.origin)).toEqual(["extension", "path", "path"]);
  });

  it("takes a setting for the only place", () => {
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

  it("leaves out folders of PATH that are not absolute or empty", () => {
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
  it("returns the first that can be run", () => {
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

  it.each(["", "diffprof 1.0", "null", "[]", "{}"])("calls what prints %j another program", (output) => {
    let fit = "threw";
    try {
      fit = judge(output, "1.2.0").fit;
    } catch {}
    expect(fit).toBe("other");
  });
});
