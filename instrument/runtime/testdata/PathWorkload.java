package diffprof;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Runs generated programs with probes of paths. The log has a line for each thread, method, kind and number of paths,
 * with their count. The kinds are w for a path whose number is known, and c for an activation that is closed by its caller.
 */
final class PathWorkload extends Thread {
    /** The number of blocks and of paths of each method. The last five methods have no paths. */
    static final int BLOCKS = 64;
    static final int PATHS = 1 << 21;
    static final int WITH_PATHS = 15;

    /** An open activation. */
    static final class Open {
        final int method;
        final int token;

        Open(int method, int token) {
            this.method = method;
            this.token = token;
        }
    }

    final Random random;
    final int steps;
    final int different;
    final List<Open> open = new ArrayList<Open>();
    final Map<String, Integer> counts = new TreeMap<String, Integer>();

    PathWorkload(String name, long seed, int steps, int different) {
        super(name);
        random = new Random(seed);
        this.steps = steps;
        this.different = different;
    }

    void count(int method, String kind, int number) {
        String key = method + " " + kind + " " + number;
        Integer n = counts.get(key);
        counts.put(key, n == null ? 1 : n + 1);
    }

    /** Closes the activations above one. */
    void close(int keep) {
        while (open.size() > keep) {
            Open o = open.remove(open.size() - 1);
            if (o.token >= 0) {
                count(o.method, "c", 0);
            }
        }
    }

    void step(boolean last) {
        int choice = random.nextInt(100);
        if (open.isEmpty() || choice < 30 && open.size() < 30 && !last) {
            int m = random.nextInt(20);
            if (m < WITH_PATHS) {
                open.add(new Open(m, random.nextBoolean() ? Runtime.begin(m) : Runtime.beginWork(m, this)));
            } else {
                Runtime.enter(m);
                open.add(new Open(m, -1));
            }
            return;
        }
        // Sometimes the activations above have no exit.
        int at = open.size() - 1;
        if (random.nextInt(20) == 0) {
            at = random.nextInt(open.size());
        }
        if (last) {
            at = 0;
        }
        Open o = open.get(at);
        if (o.token < 0) {
            // The nearest activation of the method ends.
            for (int i = open.size() - 1; i > at; i--) {
                if (open.get(i).method == o.method) {
                    at = i;
                    break;
                }
            }
            Runtime.exit(o.method);
            close(at + 1);
            open.remove(at);
            return;
        }
        int number = random.nextInt(different);
        boolean ends = last || choice < 65;
        switch (choice % 3) {
            case 0:
                if (ends) {
                    Runtime.end(o.token, number);
                } else {
                    Runtime.path(o.token, number);
                }
                break;
            default:
                int block = choice % 3 == 1 ? BLOCKS : ~BLOCKS; // behind the whole path
                if (ends) {
                    Runtime.leave(o.token, number, block);
                } else {
                    Runtime.abort(o.token, number, block);
                }
        }
        close(at + 1);
        count(o.method, "w", number);
        if (ends) {
            open.remove(at);
        }
    }

    @Override
    public void run() {
        for (int i = 0; i < steps; i++) {
            step(false);
        }
        while (!open.isEmpty()) {
            step(true);
        }
        Runtime.end(3, 7); // no activation has this token
        Runtime.path(-1, 7); // the begin failed
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Integer> e : counts.entrySet()) {
            text.append("p ").append(e.getKey()).append(' ').append(e.getValue()).append('\n');
        }
        Workload.flush(getName(), text);
    }

    static void threads(int count, int steps, int different, long seed, int together) throws Exception {
        PathWorkload[] running = new PathWorkload[together];
        for (int i = 0; i < count; i++) {
            if (running[i % together] != null) {
                running[i % together].join();
            }
            running[i % together] = new PathWorkload("worker" + i, seed + i, steps, different);
            running[i % together].start();
        }
        for (PathWorkload p : running) {
            p.join();
        }
    }

    /** Drives a log with moments of its own: more times in methods than the runtime keeps. */
    static void clock(StringBuilder text, long seed) {
        Random random = new Random(seed);
        Log own = new Log(new Thread("simulated"));
        Runtime.add(own);
        Recorder.begin();
        long now = Runtime.start + 1000000;
        long busy = 0;
        long calls = 0;
        long called = 0;
        for (int i = 0; i < 60000; i++) {
            now += 1 + random.nextInt(100000);
            long length = random.nextInt(50);
            int token = own.begin(i % 3, 0, now);
            if (i % 10 == 0) {
                // Some calls end with an exception: the next path of the activation ends them, or the caller.
                own.invoke(i % 7, token, now + length / 4);
                if (i % 20 == 0) {
                    own.invoked(token, now + length / 2);
                } else if (i % 50 == 10) {
                    own.invoke(3, own.begin(4, 0, now + length / 3), now + length / 3);
                    called += length / 2 - length / 3;
                    calls++;
                }
                called += length / 2 - length / 4;
                calls++;
            }
            own.path(token, Paths.WHOLE, 1, now + length / 2);
            own.end(token, Paths.WHOLE, 2, now + length);
            now += length;
            busy += length;
        }
        text.append("busy ").append(busy).append(' ').append(calls).append(' ').append(called).append('\n');
    }
}
