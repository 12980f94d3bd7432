package diffprof;

import java.io.PrintWriter;
import java.util.Random;

/**
 * Runs generated programs with probes on a JVM, and logs each probe as text: e, x or c with an id,
 * after the name of the thread.
 */
public final class Workload {
    static final int METHODS = 20;
    static final int SITES = 30;

    /** Accepts files that are complete. The recorder renames a file when it has written it. */
    static final java.io.FilenameFilter COMPLETE = new java.io.FilenameFilter() {
        @Override
        public boolean accept(java.io.File folder, String name) {
            return !name.endsWith(".part");
        }
    };

    /** Waits until the map and a recording are complete, and no later recording has replaced them. */
    static void awaitFiles(java.io.File folder) throws InterruptedException {
        long before = 0;
        for (int round = 0, same = 0; round < 600 && same < 50; round++) {
            java.io.File[] found = folder.listFiles(COMPLETE);
            long sum = 0;
            for (int i = 0; found != null && i < found.length; i++) {
                sum += found[i].lastModified() + found[i].length();
            }
            same = found != null && found.length >= 2 && sum == before ? same + 1 : 0;
            before = sum;
            Thread.sleep(50);
        }
    }

    static PrintWriter log;

    static synchronized void flush(String thread, StringBuilder text) {
        log.print("t " + thread + "\n" + text);
    }

    static final class Failure extends RuntimeException {
        Failure() {
            super(null, null, false, false);
        }
    }

    /** A generated program. */
    static final class Program extends Thread {
        final Random random;
        final StringBuilder text = new StringBuilder();
        int steps;
        boolean faulty;

        Program(String name, long seed, int steps, boolean faulty) {
            super(name);
            random = new Random(seed);
            this.steps = steps;
            this.faulty = faulty;
        }

        void enter(int m) {
            text.append("e ").append(m).append('\n');
            Runtime.enter(m);
        }

        void exit(int m) {
            text.append("x ").append(m).append('\n');
            Runtime.exit(m);
        }

        void call(int s) {
            text.append("c ").append(s).append('\n');
            Runtime.call(s);
        }

        void method(int depth) {
            int m = random.nextInt(METHODS);
            enter(m);
            try {
                while (steps-- > 0) {
                    int choice = random.nextInt(100);
                    if (choice < 40) {
                        call(random.nextInt(SITES));
                    } else if (choice < 70 && depth < 40) {
                        try {
                            method(depth + 1);
                        } catch (Failure f) {
                            if (random.nextBoolean()) {
                                throw f;
                            }
                        }
                    } else if (choice < 75) {
                        throw new Failure();
                    } else if (choice < 77 && faulty) {
                        exit(random.nextInt(METHODS));
                    } else {
                        return;
                    }
                }
            } finally {
                if (!faulty || random.nextInt(50) > 0) {
                    exit(m);
                }
            }
        }

        @Override
        public void run() {
            call(0);
            while (steps > 0) {
                try {
                    method(0);
                } catch (Failure f) {
                    call(1);
                }
            }
            flush(getName(), text);
        }

        // The app's own code may run while the runtime looks at the thread.
        @Override
        public long getId() {
            Runtime.call(2);
            return super.getId();
        }
    }

    static void threads(int count, int steps, boolean faulty, long seed, int together) throws Exception {
        Program[] running = new Program[together];
        for (int i = 0; i < count; i++) {
            if (running[i % together] != null) {
                running[i % together].join();
            }
            running[i % together] = new Program("worker" + i, seed + i, steps, faulty);
            running[i % together].start();
        }
        for (Program p : running) {
            p.join();
        }
    }

    /** Calls methods below each other, to a depth that the runtime does not keep. */
    static void deep(StringBuilder text, int depth) {
        // Methods beyond the first five occur only in the deep part.
        int m = depth < 1500 ? depth % 5 : depth % 7;
        text.append("e ").append(m).append('\n');
        Runtime.enter(m);
        text.append("c ").append(depth % SITES).append('\n');
        Runtime.call(depth % SITES);
        if (depth < 3000) {
            deep(text, depth + 1);
        }
        text.append("x ").append(m).append('\n');
        Runtime.exit(m);
    }

    /** Makes more different paths than the runtime keeps. */
    static void many(StringBuilder text) {
        for (int i = 0; i < 150000; i++) {
            int[] path = {i % 20, i / 20 % 20, i / 400 % 20, i / 8000 % 20};
            for (int m : path) {
                text.append("e ").append(m).append('\n');
                Runtime.enter(m);
            }
            text.append("c ").append(i % SITES).append('\n');
            Runtime.call(i % SITES);
            text.append("c ").append((i + 7) % SITES).append('\n');
            Runtime.call((i + 7) % SITES);
            for (int at = 3; at >= 0; at--) {
                text.append("x ").append(path[at]).append('\n');
                Runtime.exit(path[at]);
            }
        }
    }

    /** Objects that threads hand over, and the messages and handlers among them. */
    static final Object[] works = new Object[40];
    static final Object[] handlers = new Object[3];

    /** Hands work over between threads. The threads take turns, so the log has the order of the probes. */
    static final class Worker extends Thread {
        static final StringBuilder order = new StringBuilder();
        final Random random;
        final int[] open = new int[12];
        int depth;

        Worker(String name, long seed) {
            super(name);
            random = new Random(seed);
        }

        void log(String kind, int id, String more) {
            order.append(getName()).append(' ').append(kind).append(' ').append(id).append(more).append('\n');
        }

        /** Describes an object: its number, and for a message what, its handler and its Runnable. */
        String describe(int i) {
            if (i < 30) {
                return " " + i;
            }
            android.os.Message m = (android.os.Message) works[i];
            int target = java.util.Arrays.asList(handlers).indexOf(m.target);
            int callback = m.callback == null ? -1 : java.util.Arrays.asList(works).indexOf(m.callback);
            return " " + i + " " + m.what + " " + target + " " + callback;
        }

        /** Changes a message, as the framework does before it uses one again. */
        void change(int i) {
            if (i >= 30) {
                android.os.Message m = (android.os.Message) works[i];
                m.what = random.nextInt(3);
                m.target = (android.os.Handler) handlers[random.nextInt(handlers.length)];
                m.callback = random.nextInt(4) == 0 ? (Runnable) works[random.nextInt(30)] : null;
            }
        }

        void step(int objects) {
            int choice = random.nextInt(100);
            int work = random.nextInt(objects);
            int site = random.nextInt(SITES);
            int method = random.nextInt(METHODS);
            if (choice < 20) {
                if (random.nextBoolean()) {
                    change(work);
                }
                boolean repeats = work < 5;
                log(repeats ? "r" : "q", site, describe(work));
                if (repeats) {
                    Runtime.repeat(site, works[work]);
                } else {
                    Runtime.enqueue(site, works[work]);
                }
            } else if (choice < 30 && objects > 30) {
                int h = random.nextInt(handlers.length);
                int what = random.nextInt(3);
                log("n", h, " " + what);
                Runtime.send(handlers[h], what);
            } else if (choice < 55 && depth < open.length) {
                if (random.nextInt(3) == 0) {
                    change(work);
                }
                log("d", method, describe(work));
                Runtime.dispatch(method, works[work]);
                open[depth++] = method;
            } else if (choice < 65 && depth < open.length) {
                log("e", method, "");
                Runtime.enter(method);
                open[depth++] = method;
            } else if (choice < 95 && depth > 0) {
                method = open[--depth];
                log("x", method, "");
                Runtime.exit(method);
            } else {
                log("c", site, "");
                Runtime.call(site);
                Runtime.enqueue(site, null);
                log("c", site, "");
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < steps; i++) {
                synchronized (order) {
                    step(objects);
                }
            }
        }

        static int steps;
        static int objects;
    }

    static void async(long seed, int count, int steps, int objects) throws Exception {
        for (int i = 0; i < handlers.length && objects > 30; i++) {
            handlers[i] = new android.os.Handler();
        }
        for (int i = 0; i < objects; i++) {
            works[i] = i >= 30 ? new android.os.Message() : new Runnable() {
                @Override
                public void run() {}
            };
        }
        Worker.steps = steps;
        Worker.objects = objects;
        Worker[] workers = new Worker[count];
        for (int i = 0; i < count; i++) {
            workers[i] = new Worker("worker" + i, seed + i);
            workers[i].start();
            if (count > 10) {
                workers[i].join();
            }
        }
        for (Worker w : workers) {
            w.join();
        }
        log.print(Worker.order);
    }

    /** Hands over more objects than the runtime keeps, on more paths than it keeps. */
    static void handOvers() {
        Object[] objects = new Object[20000];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new Object();
            Runtime.enter(0);
            Runtime.enqueue(0, objects[i]);
            Runtime.exit(0);
        }
        for (int i = 0; i < objects.length; i++) {
            Runtime.dispatch(1, objects[i]);
            Runtime.exit(1);
        }
        for (int i = 0; i < 80000; i++) {
            int[] path = {i % 20, i / 20 % 20, i / 400 % 20, i / 8000 % 20};
            for (int m : path) {
                Runtime.enter(m);
            }
            Runtime.enqueue(1, objects[0]);
            for (int at = 3; at >= 0; at--) {
                Runtime.exit(path[at]);
            }
        }
        Object again = new Object();
        for (int i = 0; i < 1000; i++) {
            Runtime.dispatch(3, again);
            Runtime.enqueue(2, again);
            Runtime.exit(3);
        }
    }

    /** Drives a log with moments of its own, some of them earlier than the one before. */
    static void clock(StringBuilder text, long seed) {
        Random random = new Random(seed);
        Log own = new Log(new Thread("simulated"));
        Runtime.add(own);
        Recorder.begin();
        long now = 1000000;
        int[] open = new int[64];
        int depth = 0;
        for (int i = 0; i < 20000; i++) {
            now += random.nextInt(50) == 0 ? -random.nextInt(500) : random.nextInt(1000);
            if (depth == 0 || depth < 12 && random.nextBoolean()) {
                int m = random.nextInt(METHODS);
                open[depth++] = m;
                own.enter(m, 0, now);
                text.append("e ").append(m).append(' ').append(now).append('\n');
            } else {
                int m = open[--depth];
                own.exit(m, now);
                text.append("x ").append(m).append(' ').append(now).append('\n');
            }
        }
        while (depth > 0) {
            own.exit(open[--depth], now);
            text.append("x ").append(open[depth]).append(' ').append(now).append('\n');
        }
    }

    /**
     * Waits in method 1, works in method 2, and makes short calls of method 3. It logs the processor
     * time of the thread, and how often the clock was read.
     */
    private static void waiting() throws Exception {
        Runtime.enter(0);
        long first = android.os.Debug.threadCpuTimeNanos();
        int reads = android.os.Debug.reads;
        Runtime.enter(1);
        Thread.sleep(60);
        Runtime.exit(1);
        Runtime.enter(2);
        long until = android.os.Debug.threadCpuTimeNanos() + 40000000;
        while (android.os.Debug.threadCpuTimeNanos() < until) {
            reads++;
        }
        Runtime.exit(2);
        for (int i = 0; i < 20000; i++) {
            Runtime.enter(3);
            Runtime.exit(3);
        }
        reads = android.os.Debug.reads - reads - 2;
        long last = android.os.Debug.threadCpuTimeNanos();
        Runtime.exit(0);
        log.print("cpu " + (last - first) + "\nreads " + reads + "\n");
        log.flush();
    }

    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[1]);
        log = new PrintWriter(args[2], "UTF-8");
        StringBuilder text = new StringBuilder();
        String name = Thread.currentThread().getName();
        switch (args[0]) {
            case "threads":
                threads(8, 20000, false, seed, 8);
                break;
            case "faulty":
                threads(8, 5000, true, seed, 8);
                break;
            case "short":
                threads(700, 50, false, seed, 3);
                break;
            case "sample":
                threads(2, 60, true, seed, 2);
                break;
            case "deep":
                deep(text, 0);
                break;
            case "many":
                many(text);
                break;
            case "async":
                async(seed, 4, 20000, 30);
                break;
            case "messages":
                async(seed, 4, 20000, works.length);
                break;
            case "asyncsample":
                async(seed, 2, 60, 30);
                break;
            case "tasks":
                async(seed, 600, 100, 30);
                break;
            case "handovers":
                handOvers();
                break;
            case "waiting":
                waiting();
                break;
            case "paths":
                PathWorkload.threads(8, 20000, 60, seed, 8);
                break;
            case "manypaths":
                PathWorkload.threads(2, 400000, PathWorkload.PATHS, seed, 2);
                break;
            case "shortpaths":
                PathWorkload.threads(700, 60, 20, seed, 3);
                break;
            case "pathclock":
                PathWorkload.clock(text, seed);
                name = "simulated";
                break;
            case "clock":
                clock(text, seed);
                name = "simulated";
                break;
            case "kill":
                Program p = new Program("worker", seed, 5000, false);
                p.start();
                p.join();
                log.close();
                awaitFiles(new java.io.File(System.getProperty("diffprof.calls.folder"), "diffprof-calls"));
                java.lang.Runtime.getRuntime().halt(9);
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        flush(name, text);
        log.close();
    }
}
