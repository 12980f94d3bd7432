// The usual names of files with recordings. Written by go test ./ingest -update.

/** extensions lists the usual extensions of the formats that diffprof reads. diffprof recognizes a file only by its content. */
export const extensions = ["trace", "calls", "data", "jfr", "perfetto-trace", "pftrace", "pprof", "ftrace", "systrace", "cpuprofile", "perf-script", "logcat", "strace", "folded", "collapsed", "foldedstack"];

/** compressions lists the extensions of compressed files, which follow the other extension. */
export const compressions = ["gz", "zst"];
