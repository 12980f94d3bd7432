// This reporter for vitest writes the same lines as go test -json, so that tally can count the
// tests in TypeScript together with the tests in Go. The package is the folder in which vitest
// runs. The name of a test consists of its file and its names.

import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";

export default class {
  onInit(vitest) {
    this.name = basename(vitest.config.root);
  }

  onTestCaseResult(test) {
    const result = test.result();
    const name = `${test.module.relativeModuleId} > ${test.fullName}`;
    if (result.state === "failed") return this.failed(name, result.errors);
    for (const e of result.errors ?? []) this.write({ Action: "output", Output: `tried again: ${name}\n${described(e)}` });
    this.ended(name, result.state === "passed" ? "pass" : "skip");
  }

  // A failure outside of a test, in a hook or in loading a file, is reported separately.
  onTestSuiteResult(suite) {
    this.failed(`${suite.module.relativeModuleId} > ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(module) {
    this.failed(module.relativeModuleId, module.errors());
    const verdict = module.ok() ? "ok  " : "FAIL";
    const seconds = (module.diagnostic().duration / 1000).toFixed(3);
    this.write({ Action: "output", Output: `${verdict}\t${this.name}/${module.relativeModuleId}\t${seconds}s\n` });
  }

  onTestRunEnd(_, errors) {
    this.failed("outside of the tests", errors);
  }

  failed(test, errors) {
    if (errors.length === 0) return;
    this.write({ Action: "output", Test: test, Output: `--- FAIL: ${test}\n` });
    for (const e of errors) this.write({ Action: "output", Test: test, Output: described(e) });
    this.ended(test, "fail");
  }

  ended(test, action) {
    this.write({ Action: action, Test: test });
  }

  write(event) {
    process.stdout.write(`${JSON.stringify({ ...event, Package: this.name })}\n`);
  }
}

// Only our own lines of a stack are useful. The stack of a test that took too long names another
// error, so the message stands before it.
function described(error) {
  const stack = (error.stack ?? "").split("\n").filter((l) => !/^\s+at .*(node_modules|node:|<anonymous>)/.test(l));
  const message = error.stack?.includes(error.message) ? [] : [error.message];
  const text = [...message, ...stack, error.diff ?? ""].join("\n").trimEnd();
  return `${stripVTControlCharacters(text).replace(/^/gm, "    ")}\n`;
}
