package diffprof;

import android.os.Debug;
import android.os.SystemClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The probes of an instrumented app. Methods call enter and exit, or begin and end if their paths are
 * counted. Call sites call call. No probe
 * throws, blocks for long or changes anything that the app can see.
 *
 * Each thread has a Log of its own. A daemon thread, the Recorder, writes all logs to a file.
 */
public final class Runtime {
    /** The largest number of threads that have logs with their own names. */
    private static final int MAX_LOGS = 256;

    /** Faults counts probes that failed, for example because the stack was full. */
    static final AtomicLong faults = new AtomicLong();

    static final boolean android = onAndroid();
    /** Whether the processor time of threads is known. */
    static final boolean timed = android && hasThreadClock();
    static final long start = now();
    static final long startMillis = System.currentTimeMillis();

    /** The logs of the threads, and the log with the figures of ended threads. */
    private static final List<Log> logs = new ArrayList<Log>();
    private static Log ended;
    private static final ThreadLocal<Log> current = new ThreadLocal<Log>();
    private static final AtomicInteger starting = new AtomicInteger();

    private Runtime() {}

    /** The method with an id of the map starts. */
    public static void enter(int method) {
        try {
            Log log = log();
            if (log != null) {
                log.enter(method, 0, now());
            }
        } catch (Throwable t) {
            fault();
        }
    }

    /** The method with an id of the map ends, by a return or an exception. */
    public static void exit(int method) {
        try {
            Log log = log();
            if (log != null) {
                log.exit(method, now());
            }
        } catch (Throwable t) {
            fault();
        }
    }

    /** The call site with an id of the map is about to call. */
    public static void call(int site) {
        try {
            Log log = log();
            if (log != null) {
                log.call(site);
            }
        } catch (Throwable t) {
            fault();
        }
    }

    /** The call site with an id of the map is about to hand over work, which is carried out once. */
    public static void enqueue(int site, Object work) {
        enqueue(site, work, false);
    }

    /** Like enqueue, for work that is carried out several times. */
    public static void repeat(int site, Object work) {
        enqueue(site, work, true);
    }

    private static void enqueue(int site, Object work, boolean repeats) {
        try {
            Log log = log();
            if (log != null) {
                log.call(site);
                Pending.put(work, log, repeats);
            }
        } catch (Throwable t) {
            fault();
        }
    }

    /** A handler is about to get a message that has only a number. */
    public static void send(Object handler, int what) {
        try {
            Log log = log();
            if (log != null) {
                Pending.send(handler, what, log);
            }
        } catch (Throwable t) {
            fault();
        }
    }

    /** The method with an id of the map starts. It may carry out work that was handed over. */
    public static void dispatch(int method, Object work) {
        try {
            Log log = log();
            if (log != null) {
                log.enter(method, Pending.take(work, log), now());
            }
        } catch (Throwable t) {
            fault();
        }
    }

    /** Like enter, for a method whose paths are counted. It returns the token of the activation, -1 on failure. */
    public static int begin(int method) {
        try {
            Log log = log();
            return log == null ? -1 : log.begin(method, 0, now());
        } catch (Throwable t) {
            fault();
            return -1;
        }
    }

    /** Like dispatch, for a method whose paths are counted. */
    public static int beginWork(int method, Object work) {
        try {
            Log log = log();
            return log == null ? -1 : log.begin(method, Pending.take(work, log), now());
        } catch (Throwable t) {
            fault();
            return -1;
        }
    }

    /** A path ends, and the next one of the activation begins. */
    public static void path(int token, int number) {
        go(token, Paths.WHOLE, number, false);
    }

    /** The last path of an activation ends. */
    public static void end(int token, int number) {
        go(token, Paths.WHOLE, number, true);
    }

    /** An exception stopped a path in a block, and a handler begins. The block may be its complement. */
    public static void abort(int token, int register, int block) {
        go(token, Paths.STOPPED + (block < 0 ? ~block : block), register, false);
    }

    /** An exception stopped a path in a block, and leaves the method. */
    public static void leave(int token, int register, int block) {
        go(token, Paths.STOPPED + (block < 0 ? ~block : block), register, true);
    }

    /**
     * Like call, for a call whose begin and end are kept. invoked follows, unless the call throws: the next path of the
     * activation then ends the call.
     */
    public static void invoke(int site, int token) {
        try {
            Log log = log();
            if (log != null) {
                log.invoke(site, token, now());
            }
        } catch (Throwable t) {
            fault();
        }
    }

    /** The call of an activation whose begin and end are kept returned. */
    public static void invoked(int token) {
        try {
            Log log = log();
            if (log != null) {
                log.invoked(token, now());
            }
        } catch (Throwable t) {
            fault();
        }
    }

    private static void go(int token, int code, int number, boolean last) {
        try {
            Log log = log();
            if (log == null) {
                return;
            }
            if (last) {
                log.end(token, code, number, now());
            } else {
                log.path(token, code, number, now());
            }
        } catch (Throwable t) {
            fault();
        }
    }

    private static void fault() {
        faults.incrementAndGet();
    }

    /** Returns the time in nanoseconds: Android's boot clock, which Perfetto uses, too. */
    static long now() {
        return android ? SystemClock.elapsedRealtimeNanos() : System.nanoTime();
    }

    /** Returns the processor time of the current thread in nanoseconds. */
    static long cpu() {
        return Debug.threadCpuTimeNanos();
    }

    private static boolean hasThreadClock() {
        try {
            return cpu() >= 0;
        } catch (Throwable t) {
            return false;
        }
    }

    private static boolean onAndroid() {
        try {
            SystemClock.elapsedRealtimeNanos();
            return true;
        } catch (Throwable t) {
            return false;
        }
    }

    /** Returns the log of the thread. It is null while the runtime itself works. */
    private static Log log() {
        Log log = current.get();
        if (log == null) {
            // The thread may be of a class of the app, whose methods have probes.
            log = new Log(null);
            log.silent = true;
            current.set(log);
            Thread thread = Thread.currentThread();
            if (!(thread instanceof Recorder)) {
                log = new Log(thread);
                add(log);
            }
            current.set(log);
            if (starting.getAndIncrement() == 0) {
                Recorder.begin();
            }
        }
        return log.silent ? null : log;
    }

    /** Sets the log of the current thread, null for a new one. */
    static void use(Log log) {
        current.set(log);
    }

    static void add(Log log) {
        synchronized (logs) {
            if (logs.size() >= MAX_LOGS) {
                mergeEnded();
            }
            logs.add(log);
        }
    }

    /** Moves the figures of ended threads to one log. */
    private static void mergeEnded() {
        int kept = 0;
        for (int i = 0; i < logs.size(); i++) {
            Log log = logs.get(i);
            if (log == ended || log.alive()) {
                logs.set(kept++, log);
                continue;
            }
            if (ended == null) {
                ended = new Log(null);
                ended.name = "(ended threads)";
                ended.merge(log);
                logs.set(kept++, ended);
            } else {
                ended.merge(log);
            }
        }
        while (logs.size() > kept) {
            logs.remove(logs.size() - 1);
        }
    }

    /** Returns the number of probes so far. */
    static long events() {
        synchronized (logs) {
            long sum = 0;
            for (Log log : logs) {
                sum += log.events;
            }
            return sum;
        }
    }

    /** Writes the figures. Meanwhile no log of an ended thread is moved to another. */
    static void write(Output out, long now) throws IOException {
        synchronized (logs) {
            Output threads = new Output();
            for (Log log : logs) {
                log.write(threads, now);
            }
            // Until here, a probe without room may have counted in Lost and in no log.
            Lost.write(out);
            out.number(Pending.dropped());
            Origins.write(out);
            out.number(logs.size());
            threads.writeTo(out);
        }
    }
}
