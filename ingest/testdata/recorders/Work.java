import java.lang.management.ManagementFactory;
import java.nio.file.*;

/**
 * Works in three functions, 6 to 3 to 1, in each of a number of threads. Another thread sleeps
 * meanwhile, and all sleep at the end. Arguments: the rounds of work, and the number of threads.
 */
public class Work {
    static volatile long sink;

    static long sixty(long n) { long s = 0; for (long i = 0; i < n; i++) s += (i * 31 ^ s) % 7; return s; }
    static long thirty(long n) { long s = 1; for (long i = 0; i < n; i++) s += (i * 31 ^ s) % 7; return s; }
    static long ten(long n) { long s = 2; for (long i = 0; i < n; i++) s += (i * 31 ^ s) % 7; return s; }

    static void work(int rounds) {
        // The length of a round varies, so that rounds and samples do not keep step.
        for (int i = 0, random = 1; i < rounds; i++) {
            random = random * 1103515245 + 12345;
            int scale = 1 + (random >>> 16) % 8;
            sink += sixty(12_000 * scale);
            sink += thirty(6_000 * scale);
            sink += ten(2_000 * scale);
        }
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]), count = args.length > 1 ? Integer.parseInt(args[1]) : 1;
        Thread idle = new Thread(() -> { try { Thread.sleep(60_000); } catch (InterruptedException e) { } }, "idle");
        idle.setDaemon(true);
        idle.start();
        long[] cpu = new long[count];
        long begin = System.nanoTime();
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            int at = t;
            threads[t] = new Thread(() -> {
                work(rounds);
                cpu[at] = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            }, "worker-" + t);
            threads[t].start();
        }
        long worked = 0;
        for (int t = 0; t < count; t++) {
            threads[t].join();
            worked += cpu[t];
        }
        long elapsed = System.nanoTime() - begin;
        Thread.sleep(300);
        String times = System.getenv("WORK_TIMES");
        if (times != null) {
            // The processor time of the process is in ticks of 10 ms.
            String[] stat = new String(Files.readAllBytes(Paths.get("/proc/self/stat"))).replaceFirst(".*\\) ", "").split(" ");
            long process = (Long.parseLong(stat[11]) + Long.parseLong(stat[12])) * 10_000_000;
            Files.write(Paths.get(times), (worked + " " + elapsed + " " + process + "\n").getBytes());
        }
    }
}
