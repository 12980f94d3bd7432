package diffprof;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/**
 * The thread that writes the logs. It writes the whole recording to a new file and renames it, so
 * the file is complete at any time. It finds the folder, the map and the names of the process
 * through the app's context, by reflection.
 */
final class Recorder extends Thread {
    /** The entry of the APK with the map, compressed by gzip. */
    static final String MAP = "diffprof-calls.map";

    /** The time between two files, and the time until the app has a context. */
    private static final long PERIOD = 2000;
    private static final long WAIT = 50;

    /** How often the map is searched. An app may have a context before it has its resources. */
    private static final int TRIES = 10;

    /** Writing takes at most 1/SHARE of the time. */
    private static final int SHARE = 50;

    private static final Object turn = new Object();
    private static File folder;
    private static int tries;
    private static String process = "";
    private static String build = "";
    private static String device = "";
    private static int level;
    private static String map = "";
    /** Whether the runtime makes bursts of load. */
    private static boolean bursts;
    /** The cost of a pair of enter and exit, and of a call, in picoseconds. */
    private static long pairCost;
    private static long callCost;
    /** The cost of a pair of begin and end, and of a path, in picoseconds. */
    private static long beginCost;
    private static long pathCost;
    private static long written = -1;

    private Recorder() {
        super("diffprof");
        setDaemon(true);
    }

    static void begin() {
        new Recorder().start();
        java.lang.Runtime.getRuntime().addShutdownHook(new Thread("diffprof-end") {
            @Override
            public void run() {
                save(true);
            }
        });
    }

    @Override
    public void run() {
        try {
            measure();
            for (long wait = WAIT; !find(false); wait = Math.min(2 * wait, PERIOD)) {
                sleep(wait);
            }
            while (true) {
                long before = System.nanoTime();
                save(false);
                long took = (System.nanoTime() - before) / 1000000;
                if (bursts && Bursts.due(folder)) {
                    Bursts.make();
                    synchronized (turn) {
                        written = -1; // the bursts are new
                    }
                    save(false);
                }
                sleep(Math.max(PERIOD, took * SHARE));
            }
        } catch (Throwable t) {
            Runtime.faults.incrementAndGet();
        }
    }

    /** Measures the probes on this thread, in a log that is not written. */
    private static void measure() {
        final int rounds = 9;
        final int times = 500;
        long[] pairs = new long[rounds];
        long[] calls = new long[rounds];
        long[] begins = new long[rounds];
        long[] paths = new long[rounds];
        Runtime.use(new Log(null));
        for (int r = 0; r < rounds; r++) {
            long t0 = Runtime.now();
            for (int i = 0; i < times; i++) {
                Runtime.enter(0);
                Runtime.exit(0);
            }
            long t1 = Runtime.now();
            for (int i = 0; i < times; i++) {
                Runtime.call(0);
            }
            long t2 = Runtime.now();
            for (int i = 0; i < times; i++) {
                Runtime.end(Runtime.begin(0), 0);
            }
            long t3 = Runtime.now();
            int token = Runtime.begin(0);
            for (int i = 0; i < times; i++) {
                Runtime.path(token, i & 7);
            }
            Runtime.end(token, 0);
            long t4 = Runtime.now();
            begins[r] = t3 - t2;
            paths[r] = t4 - t3;
            pairs[r] = t1 - t0;
            calls[r] = t2 - t1;
        }
        Log silent = new Log(null);
        silent.silent = true;
        Runtime.use(silent);
        Arrays.sort(pairs);
        Arrays.sort(calls);
        Arrays.sort(begins);
        Arrays.sort(paths);
        pairCost = pairs[rounds / 2] * 1000 / times;
        callCost = calls[rounds / 2] * 1000 / times;
        beginCost = begins[rounds / 2] * 1000 / times;
        pathCost = paths[rounds / 2] * 1000 / times;
    }

    /**
     * Finds the folder and copies the map to it. It returns false while the app has no context or, unless the process
     * ends, no resources.
     */
    private static boolean find(boolean last) {
        synchronized (turn) {
            return folder != null || search(last);
        }
    }

    private static boolean search(boolean last) {
        File found = null;
        InputStream content = null;
        try {
            Object app = Class.forName("android.app.ActivityThread").getMethod("currentApplication").invoke(null);
            if (app == null) {
                return false;
            }
            describe(app);
            found = (File) call(app, "getExternalFilesDir", String.class, null);
            if (found == null) {
                found = (File) call(app, "getFilesDir", null, null);
            }
            content = (InputStream) call(call(app, "getAssets", null, null), "open", String.class, MAP);
        } catch (Throwable t) {
            // Not Android, or an entry that is missing.
        }
        String given = System.getProperty("diffprof.calls.folder");
        if (given != null) {
            found = new File(given);
        }
        if (found == null) {
            return false;
        }
        if (content == null) {
            content = Runtime.class.getClassLoader().getResourceAsStream("assets/" + MAP);
        }
        if (content == null && !last && ++tries < TRIES) {
            return false;
        }
        found = new File(found, "diffprof-calls");
        found.mkdirs();
        try {
            if (content != null) {
                copyMap(content, found);
            }
        } catch (Throwable t) {
            Runtime.faults.incrementAndGet();
        }
        folder = found;
        return true;
    }

    /** Calls a method with no parameter or with one. */
    private static Object call(Object of, String name, Class<?> type, Object value) throws Exception {
        if (type == null) {
            return of.getClass().getMethod(name).invoke(of);
        }
        return of.getClass().getMethod(name, type).invoke(of, value);
    }

    private static void describe(Object app) {
        try {
            String pkg = (String) call(app, "getPackageName", null, null);
            build = pkg;
            process = pkg;
            Object manager = call(app, "getPackageManager", null, null);
            Method info = manager.getClass().getMethod("getPackageInfo", String.class, int.class);
            Object about = info.invoke(manager, pkg, 0);
            build = pkg + " " + about.getClass().getField("versionName").get(about);
        } catch (Throwable t) {
            // The known names stay.
        }
        try {
            process = (String) Class.forName("android.app.ActivityThread").getMethod("currentProcessName").invoke(null);
        } catch (Throwable t) {
            // The name of the package stays.
        }
        try {
            level = Class.forName("android.os.Build$VERSION").getField("SDK_INT").getInt(null);
            Class<?> b = Class.forName("android.os.Build");
            device = b.getField("MANUFACTURER").get(null) + " " + b.getField("MODEL").get(null);
        } catch (Throwable t) {
            // Not Android.
        }
    }

    static String process() {
        return process;
    }

    /** Writes the map as a block, and computes its checksum. */
    private static void copyMap(InputStream in, File to) throws Exception {
        Output packed = new Output();
        byte[] buffer = new byte[1 << 13];
        try {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                packed.write(buffer, 0, n);
            }
        } finally {
            in.close();
        }
        MessageDigest sum = MessageDigest.getInstance("SHA-256");
        boolean head = true;
        InputStream plain = new GZIPInputStream(new java.io.ByteArrayInputStream(packed.toByteArray()));
        for (int n = plain.read(buffer); n >= 0; n = plain.read(buffer)) {
            if (head) {
                bursts = new String(buffer, 0, n, "UTF-8").contains("\"bursts\":true,\"dex\"");
            }
            head = false;
            sum.update(buffer, 0, n);
        }
        StringBuilder text = new StringBuilder();
        for (byte b : sum.digest()) {
            text.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        map = text.toString();
        store(packed, 'M', new File(to, map.substring(0, 16) + ".calls-map"));
    }

    /** Writes a block to a file by renaming it. */
    private static void store(Output out, int kind, File file) throws IOException {
        File part = new File(file.getPath() + "." + pid() + ".part");
        FileOutputStream to = new FileOutputStream(part);
        try {
            out.block(kind, to);
        } finally {
            to.close();
        }
        if (!part.renameTo(file)) {
            part.delete();
            throw new IOException("rename");
        }
    }

    private static long pid() {
        try {
            return ((Integer) Class.forName("android.os.Process").getMethod("myPid").invoke(null)).longValue();
        } catch (Throwable t) {
            try {
                return Long.parseLong(new File("/proc/self").getCanonicalFile().getName());
            } catch (Throwable u) {
                return 0;
            }
        }
    }

    /** Writes the recording, if there was a probe since the last time. */
    static void save(boolean last) {
        synchronized (turn) {
            try {
                if (!find(last)) {
                    return;
                }
                long events = Runtime.events() + (last ? 1 : 0);
                if (events == written) {
                    return;
                }
                Output out = new Output();
                long now = Runtime.now();
                out.number(5);
                out.text(map);
                out.text(build);
                out.text(process);
                out.text(device);
                out.number(level);
                long pid = pid();
                out.number(pid);
                out.number(Runtime.android ? 1 : 0);
                out.number(Runtime.android ? Runtime.start : 0);
                out.number(Math.max(0, now - Runtime.start));
                out.number(Runtime.startMillis);
                out.number(last ? 1 : 0);
                out.number(pairCost);
                out.number(callCost);
                out.number(Runtime.faults.get());
                out.number(Runtime.timed ? 1 : 0);
                out.number(beginCost);
                out.number(pathCost);
                Bursts.write(out);
                Runtime.write(out, now);
                String name = process.replaceAll("[^A-Za-z0-9._-]", "_");
                store(out, 'P', new File(folder, (name.isEmpty() ? "process" : name) + "-" + pid + "-" + Runtime.startMillis + ".calls"));
                written = events;
            } catch (Throwable t) {
                Runtime.faults.incrementAndGet();
            }
        }
    }
}
