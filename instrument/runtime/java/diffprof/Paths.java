package diffprof;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The paths through methods that a thread took, with their counts and times, and the begin and the end of the first
 * runs. The caller holds the lock of the Log to which the paths belong.
 */
final class Paths {
    /** The largest numbers of different paths, and of times of paths, of a process. */
    static final int MAX_PATHS = 1 << 18;
    static final int MAX_TIMES = 1 << 17;

    /** The largest number of times of a thread in methods. Beyond it, neighbours are joined. */
    static final int MAX_BUSY = 1 << 14;

    /**
     * The codes of paths. A whole path has its number. CLOSED is the last path of an activation that was left without an
     * exit. OTHER stands for the paths that do not fit in the memory. A path that an exception stopped in a block
     * has the code STOPPED plus the block.
     */
    static final int WHOLE = 0;
    static final int CLOSED = 1;
    static final int OTHER = 2;
    static final int STOPPED = 3;

    private static final AtomicInteger paths = new AtomicInteger();
    private static final AtomicInteger times = new AtomicInteger();

    /** Whether the begin and the end of paths are kept. */
    private final boolean timed;

    /** The rows are pairs of a method and a code. */
    private final Table rows = new Table();
    private int size;
    private final Table index = new Table();
    private int[] method = new int[16];
    private int[] code = new int[16];
    private int[] number = new int[16];
    private long[] count = new long[16];
    private long[] spent = new long[16];

    /** The times of single paths. */
    private int kept;
    private int[] path = new int[16];
    private long[] begin = new long[16];
    private long[] end = new long[16];
    private long dropped;

    /** The calls whose begin and end are kept, as far as there is room: their sites and times. */
    private int invocations;
    private int[] site = new int[16];
    private long[] called = new long[16];
    private long[] returned = new long[16];

    /** The times in which the thread was in methods, and the sum of the gaps in joined times. */
    private int busy;
    private long[] from = new long[16];
    private long[] to = new long[16];
    private long joined;
    private long gap = 1000;

    Paths(boolean timed) {
        this.timed = timed;
    }

    /** A path ends. */
    void add(int m, int c, int n, long began, long now) {
        int at = find(m, c, n);
        count[at]++;
        spent[at] += Math.max(0, now - began);
        if (!timed) {
            return;
        }
        if (full()) {
            dropped++;
            return;
        }
        keep(at, began, now);
    }

    /** Reports whether there is no room for another time. Otherwise it takes the room before another thread can. */
    private static boolean full() {
        return times.get() >= MAX_TIMES || times.getAndIncrement() >= MAX_TIMES;
    }

    private void keep(int at, long began, long now) {
        if (kept == path.length) {
            int[] p = Table.longer(path);
            long[] b = Table.longer(begin);
            long[] e = Table.longer(end);
            path = p;
            begin = b;
            end = e;
        }
        path[kept] = at;
        begin[kept] = began;
        end[kept++] = Math.max(began, now);
    }

    /** Ends a call whose begin and end are kept. Such a call needs as much room as the time of a path. */
    void invocation(int s, long began, long now) {
        if (full()) {
            dropped++;
            return;
        }
        keepInvocation(s, began, now);
    }

    private void keepInvocation(int s, long began, long now) {
        if (invocations == site.length) {
            int[] a = Table.longer(site);
            long[] b = Table.longer(called);
            long[] c = Table.longer(returned);
            site = a;
            called = b;
            returned = c;
        }
        site[invocations] = s;
        called[invocations] = began;
        returned[invocations++] = Math.max(began, now);
    }

    /** Writes the calls whose begin and end are kept. The caller then writes the open calls, open in number. */
    void writeInvocations(Output out, int open) throws IOException {
        out.number(invocations + open);
        for (int i = 0; i < invocations; i++) {
            out.number(site[i]);
            time(out, called[i], returned[i]);
        }
    }

    private int find(int m, int c, int n) {
        int row = rows.get(m, c);
        int at = row < 0 ? -1 : index.get(row, n);
        if (at >= 0) {
            return at;
        }
        if (c != OTHER && c != CLOSED && paths.get() >= MAX_PATHS) {
            return find(m, OTHER, 0); // one for each method
        }
        if (size == method.length) {
            int[] a = Table.longer(method);
            int[] b = Table.longer(code);
            int[] d = Table.longer(number);
            long[] e = Table.longer(count);
            long[] f = Table.longer(spent);
            method = a;
            code = b;
            number = d;
            count = e;
            spent = f;
        }
        if (row < 0) {
            row = rows.size();
            rows.put(m, c, row);
        }
        index.put(row, n, size);
        paths.incrementAndGet();
        method[size] = m;
        code[size] = c;
        number[size] = n;
        return size++;
    }

    /** The thread was in methods. */
    void busy(long begun, long now) {
        if (busy == from.length) {
            if (busy >= MAX_BUSY) {
                join();
            }
            if (busy == from.length) {
                long[] f = Table.longer(from);
                long[] t = Table.longer(to);
                from = f;
                to = t;
            }
        }
        from[busy] = begun;
        to[busy++] = Math.max(begun, now);
    }

    /** Joins the times that are close to each other, until at most half are left. */
    private void join() {
        sort();
        while (busy > MAX_BUSY / 2) {
            int last = 0;
            for (int i = 1; i < busy; i++) {
                long between = from[i] - to[last];
                if (between > gap) {
                    from[++last] = from[i];
                    to[last] = to[i];
                    continue;
                }
                joined += Math.max(0, between);
                to[last] = Math.max(to[last], to[i]);
            }
            busy = last + 1;
            gap *= 2;
        }
    }

    /** Sorts the times. The times of a single thread are sorted already. */
    private void sort() {
        for (int step = busy / 2; step > 0; step /= 2) {
            for (int i = step; i < busy; i++) {
                long f = from[i];
                long t = to[i];
                int at = i;
                for (; at >= step && from[at - step] > f; at -= step) {
                    from[at] = from[at - step];
                    to[at] = to[at - step];
                }
                from[at] = f;
                to[at] = t;
            }
        }
    }

    /** Adds the paths of an ended thread, which are not used afterwards. */
    void merge(Paths other) {
        paths.addAndGet(-other.size);
        int[] here = new int[other.size];
        for (int i = 0; i < other.size; i++) {
            int at = find(other.method[i], other.code[i], other.number[i]);
            here[i] = at;
            count[at] += other.count[i];
            spent[at] += other.spent[i];
        }
        for (int i = 0; i < other.kept; i++) {
            keep(here[other.path[i]], other.begin[i], other.end[i]);
        }
        for (int i = 0; i < other.busy; i++) {
            busy(other.from[i], other.to[i]);
        }
        for (int i = 0; i < other.invocations; i++) {
            keepInvocation(other.site[i], other.called[i], other.returned[i]);
        }
        dropped += other.dropped;
        joined += other.joined;
    }

    /** Writes the paths. open is the begin of the outermost activation if isOpen is set. */
    void write(Output out, boolean isOpen, long open, long now) throws IOException {
        out.number(size);
        for (int i = 0; i < size; i++) {
            out.number(method[i]);
            out.number(code[i]);
            out.number(number[i] & 0xffffffffL);
            out.number(count[i]);
            out.number(spent[i]);
        }
        out.number(kept);
        for (int i = 0; i < kept; i++) {
            out.number(path[i]);
            time(out, begin[i], end[i]);
        }
        out.number(dropped);
        out.number(isOpen ? busy + 1 : busy);
        for (int i = 0; i < busy; i++) {
            time(out, from[i], to[i]);
        }
        if (isOpen) {
            time(out, open, Math.max(open, now));
        }
        out.number(joined);
    }

    static void time(Output out, long begun, long ended) {
        out.number(Math.max(0, begun - Runtime.start));
        out.number(ended - begun);
    }
}
