'use strict';
let sink = 0;
function heavy(n) { for (let i = 0; i < n; i++) sink += (i * 31) % 7; }
function light(n) { for (let i = 0; i < n; i++) sink ^= (i * 17) % 11; }
const end = Date.now() + 1000;
while (Date.now() < end) { heavy(300000); light(100000); }
setTimeout(() => console.log(sink), 500);
