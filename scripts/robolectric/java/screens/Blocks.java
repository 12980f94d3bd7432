package screens;

import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts how often each basic block begins. The property screens.blocks is the file for the counts. */
public final class Blocks {
    private static final AtomicLongArray counts = new AtomicLongArray(1 << 20);

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Blocks::write));
    }

    private Blocks() {}

    /** A block begins. Each block of the app calls this method. */
    public static void hit(int block) {
        counts.incrementAndGet(block);
    }

    // Each class loader has counters of its own, so the file is appended to.
    private static void write() {
        try (PrintStream out = new PrintStream(new FileOutputStream(System.getProperty("screens.blocks"), true))) {
            for (int i = 0; i < counts.length(); i++) {
                if (counts.get(i) > 0) {
                    out.println(counts.get(i) + " " + i);
                }
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
