// What files of recordings are usually called. Written by go test ./ingest -update.

/** extensions are those of the formats that diffprof reads; it tells a file by its content alone. */
export const extensions = ["trace", "calls", "data", "jfr", "perfetto-trace", "pftrace", "pprof", "ftrace", "systrace", "cpuprofile", "perf-script", "logcat", "strace", "folded", "collapsed", "foldedstack"];

/** compressions are what such files may end in besides. */
export const compressions = ["gz", "zst"];
