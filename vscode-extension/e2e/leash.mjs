// Runs a program as the leader of its own process group. When the parent process ends or
// disconnects, the whole group is killed. On a message it ends the program in an orderly way,
// and answers afterwards.

import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
process.on("message", () => child.kill("SIGTERM"));
child.on("exit", (code) => process.send?.({ exited: code }));
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
