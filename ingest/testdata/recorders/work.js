'use strict';
// Works in three functions, 6 to 3 to 1, then waits. WORK_ROUNDS is the number of rounds.
const fs = require('fs'), v8 = require('v8');
// V8 does not name functions that it inlined.
v8.setFlagsFromString('--no-turbo-inlining');
v8.setFlagsFromString('--no-maglev-inlining');
let sink = 0;
function sixty(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + (i * 31 % 7)) | 0; return s; }
function thirty(n) { let s = 1; for (let i = 0; i < n; i++) s = (s + (i * 31 % 7)) | 0; return s; }
function ten(n) { let s = 2; for (let i = 0; i < n; i++) s = (s + (i * 31 % 7)) | 0; return s; }
function work(rounds) {
  // The length of a round varies, so that rounds and samples do not keep step.
  for (let i = 0, random = 1; i < rounds; i++) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    const scale = 1 + (random >>> 16) % 8;
    sink += sixty(12000 * scale);
    sink += thirty(6000 * scale);
    sink += ten(2000 * scale);
  }
}
const begin = process.hrtime.bigint(), before = process.cpuUsage();
work(Number(process.env.WORK_ROUNDS || 1000));
const elapsed = process.hrtime.bigint() - begin, used = process.cpuUsage(before);
setTimeout(() => {
  const all = process.cpuUsage();
  if (process.env.WORK_TIMES)
    fs.writeFileSync(process.env.WORK_TIMES, `${(used.user + used.system) * 1000} ${elapsed} ${(all.user + all.system) * 1000}\n`);
}, 300);
module.exports = sink;
