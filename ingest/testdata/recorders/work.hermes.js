'use strict';
// Works in three functions, 6 to 3 to 1, and prints the elapsed time in ns three times. Hermes does
// not know its processor time. ROUNDS is the number of rounds.
var sink = 0;
function sixty(n) { var s = 0; for (var i = 0; i < n; i++) s = (s + (i * 31 % 7)) | 0; return s; }
function thirty(n) { var s = 1; for (var i = 0; i < n; i++) s = (s + (i * 31 % 7)) | 0; return s; }
function ten(n) { var s = 2; for (var i = 0; i < n; i++) s = (s + (i * 31 % 7)) | 0; return s; }
function work(rounds) {
  // The length of a round varies, so that rounds and samples do not keep step.
  for (var i = 0, random = 1; i < rounds; i++) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    var scale = 1 + (random >>> 16) % 8;
    sink += sixty(1200 * scale);
    sink += thirty(600 * scale);
    sink += ten(200 * scale);
  }
}
var begin = Date.now();
work(ROUNDS);
var elapsed = (Date.now() - begin) * 1000000;
print(elapsed + ' ' + elapsed + ' ' + elapsed);
