// Runs a program on a leash: when our parent ends, however it does, or lets go, the
// program and all that it started are killed. We lead a process group of our own for
// that. A message has the program end by itself; it is answered when it has.

import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
process.on("message", () => child.kill("SIGTERM"));
child.on("exit", (code) => process.send?.({ exited: code }));
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
