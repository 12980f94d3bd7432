package diffprof;

import java.io.IOException;

/**
 * Counts by method and by call site, for paths that do not fit in the memory. They need little
 * memory, since an app has a limited number of methods and sites.
 */
final class Lost {
    private static final Table methods = new Table();
    private static int[] method = new int[16];
    private static long[] entered = new long[16];
    private static long[] own = new long[16];
    private static long[] cpu = new long[16];
    private static final Table sites = new Table();
    private static int[] site = new int[16];
    private static long[] called = new long[16];

    private Lost() {}

    static void entered(int m) {
        add(m, 1, 0, 0);
    }

    static void spent(int m, long time, long processor) {
        add(m, 0, time, processor);
    }

    static synchronized void add(int m, long count, long time, long processor) {
        int n = methods.get(0, m);
        if (n < 0) {
            n = methods.size();
            if (n == method.length) {
                int[] a = Table.longer(method);
                long[] b = Table.longer(entered);
                long[] c = Table.longer(own);
                long[] d = Table.longer(cpu);
                method = a;
                entered = b;
                own = c;
                cpu = d;
            }
            methods.put(0, m, n);
            method[n] = m;
        }
        entered[n] += count;
        own[n] += time;
        cpu[n] += processor;
    }

    static synchronized void called(int s, long count) {
        int n = sites.get(0, s);
        if (n < 0) {
            n = sites.size();
            if (n == site.length) {
                int[] a = Table.longer(site);
                long[] b = Table.longer(called);
                site = a;
                called = b;
            }
            sites.put(0, s, n);
            site[n] = s;
        }
        called[n] += count;
    }

    static synchronized void write(Output out) throws IOException {
        out.number(methods.size());
        for (int i = 0; i < methods.size(); i++) {
            out.number(method[i]);
            out.number(entered[i]);
            out.number(own[i]);
            out.number(cpu[i]);
        }
        out.number(sites.size());
        for (int i = 0; i < sites.size(); i++) {
            out.number(site[i]);
            out.number(called[i]);
        }
    }
}
