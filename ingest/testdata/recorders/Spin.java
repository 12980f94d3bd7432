/** Works in two methods, 3 to 1, then sleeps. */
public class Spin {
    static long sink;
    static void heavy(long n) { for (long i = 0; i < n; i++) sink += Math.floorMod(i * 31, 7); }
    static void light(long n) { for (long i = 0; i < n; i++) sink ^= Math.floorMod(i * 17, 11); }
    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + 1_000_000_000L * Long.parseLong(args[0]);
        Thread idle = new Thread(() -> { try { Thread.sleep(60_000); } catch (InterruptedException e) { } }, "idle");
        idle.setDaemon(true);
        idle.start();
        while (System.nanoTime() < end) { heavy(300_000); light(100_000); }
        Thread.sleep(500);
        System.out.println(sink);
    }
}
