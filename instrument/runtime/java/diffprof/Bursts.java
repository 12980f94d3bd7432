package diffprof;

import java.io.File;
import java.io.IOException;

/**
 * Bursts of load on all cores, which an external meter sees. A burst has several pulses in the order of an m-sequence of 31
 * steps, which does not resemble a shifted copy of itself. Bursts are made when the recording begins, and when the file
 * "stop" appears in the folder of the recordings.
 */
final class Bursts {
    private static final String SEQUENCE = "0000101011101100011111001101001";
    /** The length of a step in nanoseconds. */
    private static final long STEP = 200000000;
    /** The largest number of pulses that are kept. */
    private static final int MAX = 1 << 10;

    private static int size;
    private static final long[] begin = new long[MAX];
    private static final long[] end = new long[MAX];
    private static long handled = -1;

    private Bursts() {}

    /** A thread that works until a time. */
    private static final class Load extends Thread {
        private final long until;

        Load(long until) {
            super("diffprof-load");
            this.until = until;
            setDaemon(true);
        }

        @Override
        public void run() {
            work(until);
        }
    }

    private static void work(long until) {
        while (Runtime.now() < until) {
            // Reading the clock is the load.
        }
    }

    /** Reports whether the recording begins, or a file "stop" is new. Only one process of an app makes bursts. */
    static boolean due(File folder) {
        if (Recorder.process().indexOf(':') >= 0) {
            return false;
        }
        File stop = new File(folder, "stop");
        long at = stop.lastModified();
        boolean due = handled < 0 || at > 0 && at != handled;
        if (due) {
            handled = at > 0 && stop.delete() ? 0 : at;
        }
        return due;
    }

    static void make() throws InterruptedException {
        int cores = java.lang.Runtime.getRuntime().availableProcessors();
        long start = Runtime.now();
        for (int i = 0; i < SEQUENCE.length(); i++) {
            if (SEQUENCE.charAt(i) == '0') {
                continue;
            }
            long from = start + i * STEP;
            while (i + 1 < SEQUENCE.length() && SEQUENCE.charAt(i + 1) == '1') {
                i++;
            }
            long until = start + (i + 1) * STEP;
            while (Runtime.now() < from) {
                Thread.sleep(1);
            }
            long began = Runtime.now();
            Thread[] others = new Thread[cores - 1];
            for (int k = 0; k < others.length; k++) {
                others[k] = new Load(until);
                others[k].start();
            }
            work(until);
            for (Thread t : others) {
                t.join();
            }
            add(began, Runtime.now());
        }
    }

    private static synchronized void add(long began, long ended) {
        if (size < MAX) {
            begin[size] = began;
            end[size++] = ended;
        }
    }

    static synchronized void write(Output out) throws IOException {
        out.number(size);
        for (int i = 0; i < size; i++) {
            Paths.time(out, begin[i], end[i]);
        }
    }
}
