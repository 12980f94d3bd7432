package diffprof;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The figures of a thread: a tree of call paths, with the number of activations and the time of
 * each path, and the number of calls of each path and call site. Node 0 is the root.
 *
 * The thread and the Recorder use a log, so its methods are synchronized. Paths that do not fit
 * in the memory are counted by method and call site in Lost, so that no call is lost.
 */
final class Log {
    /** The largest numbers of paths, and of paths with call sites, of a process. */
    static final int MAX_PATHS = 1 << 17;
    static final int MAX_CALLS = 1 << 18;

    /** The depth from which a recursive call counts for the nearest equal method above it. */
    static final int MAX_DEPTH = 1 << 10;

    /**
     * A thread counts as running between two probes that are at most this time apart. The clock of
     * the processor time is a system call, so it is read only after a longer time. It then corrects
     * the earlier assumption.
     */
    static final long SHORT = 20000;

    private static final AtomicInteger nodesOfAll = new AtomicInteger();
    private static final AtomicInteger pairs = new AtomicInteger();
    private static final AtomicInteger numbers = new AtomicInteger();

    /** The number of the log among the logs of the process. */
    final int number = numbers.incrementAndGet();

    String name = "";
    long id;
    boolean silent;
    private WeakReference<Thread> thread;

    /** The nodes. A parent has a smaller number than its children. */
    private int nodes = 1;
    private int[] parent = new int[16];
    private int[] method = new int[16];
    private int[] level = new int[16];
    private long[] count = new long[16];
    private long[] own = new long[16];
    private long[] cpu = new long[16];
    /** The origin of each node plus one, 0 for a node that no other thread handed over. */
    private int[] from = new int[16];
    /** The number in Origins of the path of each node, 0 if unknown. Null before the first hand-over. */
    private int[] path;
    private final Table children = new Table();
    /** The nodes of work that was handed over, by origin and method. Their parent is the root. */
    private final Table handOvers = new Table();
    /** The counts of the pairs of a node and a call site. */
    private int[] pairNode = new int[16];
    private int[] pairSite = new int[16];
    private long[] pairCount = new long[16];
    private final Table calls = new Table();

    /** The open activations: a node, or, with ~, a method whose path is lost. */
    private int[] stack = new int[64];
    /** The numbers of the open activations, and the latest number. */
    private int[] serial = new int[64];
    private int latest;
    private int depth;
    /** The begin of the current path of each activation, and NONE for a method whose paths are not counted. */
    private long[] begun;
    private static final long NONE = Long.MIN_VALUE;
    /** The call of each activation whose begin and end are kept: its site plus one, 0 if there is none, and its begin. */
    private int[] invoking;
    private long[] invokedAt;
    /** The paths, null before the first one, and the begin of the outermost activation. */
    private Paths paths;
    private long outermost;
    /** The time of the first and of the latest probe. */
    private long first;
    private long last;
    /** The processor time of the thread at the latest probe. */
    private long used;
    /** The probes so far, exits without an enter, enters without an exit, and jumps back. */
    long events;
    private long stray;
    private long missing;
    private long jumps;

    Log(Thread of) {
        method[0] = -1;
        if (of != null) {
            thread = new WeakReference<Thread>(of);
            name = of.getName();
            id = of.getId();
        }
    }

    boolean alive() {
        Thread t = thread == null ? null : thread.get();
        return t != null && t.isAlive();
    }

    /** A method starts. If it carries out work that was handed over, origin is positive. */
    synchronized void enter(int m, int origin, long now) {
        charge(now);
        int node;
        int top = depth == 0 ? 0 : stack[depth - 1];
        if (origin > 0) {
            node = handOver(Origins.above(origin, m), m);
        } else if (top < 0) {
            node = ~m;
        } else {
            node = child(top, m);
        }
        if (depth == stack.length) {
            int[] numbers = Table.longer(serial);
            stack = Table.longer(stack);
            serial = numbers;
        }
        if (depth == 0) {
            outermost = now;
        }
        if (begun != null) {
            if (depth >= begun.length) {
                growBegun();
            }
            begun[depth] = NONE;
            invoking[depth] = 0;
        }
        serial[depth] = ++latest;
        stack[depth++] = node;
        if (node < 0) {
            Lost.entered(m);
        } else {
            count[node]++;
        }
    }

    synchronized void exit(int m, long now) {
        charge(now);
        int at = depth - 1;
        while (at >= 0 && methodOf(stack[at]) != m) {
            at--;
        }
        if (at < 0) {
            stray++;
            return;
        }
        close(at + 1, now);
        end(at, now);
    }

    /** A method starts whose paths are counted. It returns the token of the activation. */
    synchronized int begin(int m, int origin, long now) {
        if (paths == null) {
            paths = new Paths(thread != null);
            begun = new long[stack.length];
            Arrays.fill(begun, NONE);
            invoking = new int[begun.length];
            invokedAt = new long[begun.length];
        }
        enter(m, origin, now);
        begun[depth - 1] = now;
        return depth - 1;
    }

    /** A path of an activation ends, and the next one begins. */
    synchronized void path(int token, int code, int number, long now) {
        charge(now);
        if (reach(token, now)) {
            endInvocation(token, now);
            paths.add(methodOf(stack[token]), code, number, begun[token], now);
            begun[token] = now;
        }
    }

    /** A path ends, and its activation with it. */
    synchronized void end(int token, int code, int number, long now) {
        charge(now);
        if (reach(token, now)) {
            endInvocation(token, now);
            paths.add(methodOf(stack[token]), code, number, begun[token], now);
            end(token, now);
        }
    }

    /** Closes the activations above the activation with a token, and reports whether that activation is open. */
    private boolean reach(int token, long now) {
        if (token < 0) {
            return false; // the begin failed, and is counted as a fault
        }
        if (token >= depth || begun[token] == NONE) {
            stray++;
            return false;
        }
        close(token + 1, now);
        return true;
    }

    /** Closes activations that were left without an exit, down to a depth. */
    private void close(int to, long now) {
        while (depth > to) {
            missing++;
            depth--;
            if (begun != null && begun[depth] != NONE) {
                endInvocation(depth, now);
                paths.add(methodOf(stack[depth]), Paths.CLOSED, 0, begun[depth], now);
            }
        }
    }

    private void end(int at, long now) {
        depth = at;
        if (depth == 0 && paths != null) {
            paths.busy(outermost, now);
        }
    }

    private void growBegun() {
        int before = begun.length;
        int[] sites = Table.longer(invoking);
        long[] at = Table.longer(invokedAt);
        begun = Table.longer(begun);
        Arrays.fill(begun, before, begun.length, NONE);
        invoking = sites;
        invokedAt = at;
    }

    /** A call begins whose begin and end are kept. */
    synchronized void invoke(int site, int token, long now) {
        boolean open = reach(token, now);
        call(site);
        if (open) {
            endInvocation(token, now);
            invoking[token] = site + 1;
            invokedAt[token] = now;
        }
    }

    synchronized void invoked(int token, long now) {
        events++;
        if (reach(token, now)) {
            endInvocation(token, now);
        }
    }

    private void endInvocation(int token, long now) {
        if (invoking[token] > 0) {
            paths.invocation(invoking[token] - 1, invokedAt[token], now);
            invoking[token] = 0;
        }
    }

    synchronized void call(int site) {
        events++;
        int top = depth == 0 ? 0 : stack[depth - 1];
        int pair = top < 0 ? -1 : pair(top, site);
        if (pair < 0) {
            Lost.called(site, 1);
        } else {
            pairCount[pair]++;
        }
    }

    /** Returns the number of the current path in Origins, 0 outside of methods, -1 if it is lost. */
    synchronized int origin() {
        int top = depth == 0 ? 0 : stack[depth - 1];
        if (top <= 0) {
            return top == 0 ? 0 : -1;
        }
        if (path == null || path.length < parent.length) {
            int[] longer = new int[parent.length];
            if (path != null) {
                System.arraycopy(path, 0, longer, 0, path.length);
            }
            path = longer;
        }
        int[] unknown = new int[level[top]];
        int count = 0;
        int above = 0;
        for (int n = top; n > 0; n = parent[n]) {
            if (path[n] > 0) {
                above = path[n];
                break;
            }
            unknown[count++] = n;
            if (from[n] > 0) {
                above = from[n] - 1;
                break;
            }
        }
        while (count > 0 && above >= 0) {
            int n = unknown[--count];
            above = Origins.child(above, method[n]);
            path[n] = Math.max(0, above);
        }
        return above;
    }

    /** Returns the number of the innermost activation, 0 outside of methods. */
    int activation() {
        return depth == 0 ? 0 : serial[depth - 1];
    }

    /** Reports whether an activation is open. Only the thread of the log may call it. */
    boolean open(int activation) {
        for (int i = depth - 1; i >= 0; i--) {
            if (serial[i] == activation) {
                return true;
            }
        }
        return false;
    }

    /** Adds the time since the latest probe to the innermost activation. */
    private void charge(long now) {
        events++;
        if (first == 0) {
            first = now;
            last = now;
            used = Runtime.timed ? Runtime.cpu() : 0;
        }
        long spent = now - last;
        if (spent < 0) {
            jumps++;
            spent = 0;
        }
        last = now;
        long ran = Runtime.timed ? ran(spent) : 0;
        if (depth > 0 && spent > 0) {
            int top = stack[depth - 1];
            if (top < 0) {
                Lost.spent(~top, spent, ran);
            } else {
                own[top] += spent;
                cpu[top] += ran;
            }
        }
    }

    /** Returns the processor time in the time since the latest probe. */
    private long ran(long spent) {
        if (spent < SHORT) {
            used += spent;
            return spent;
        }
        long before = used;
        used = Runtime.cpu();
        return Math.min(Math.max(0, used - before), spent);
    }

    private int methodOf(int entry) {
        return entry < 0 ? ~entry : method[entry];
    }

    /** Returns the child of a node, or ~m if there is no room. */
    private int child(int of, int m) {
        int found = children.get(of, m);
        if (found >= 0) {
            return found;
        }
        if (level[of] >= MAX_DEPTH) {
            for (int n = of; n > 0; n = parent[n]) {
                if (method[n] == m) {
                    return n;
                }
            }
            return ~m;
        }
        if (nodesOfAll.get() >= MAX_PATHS) {
            return ~m;
        }
        int n = add(of, m, level[of] + 1);
        children.put(of, m, n);
        return n;
    }

    /** Returns the node for a method that carries out work of an origin, or ~m if there is no room. */
    private int handOver(int origin, int m) {
        int found = handOvers.get(origin, m);
        if (found >= 0) {
            return found;
        }
        if (nodesOfAll.get() >= MAX_PATHS) {
            return ~m;
        }
        int n = add(0, m, Origins.level(origin) + 1);
        from[n] = origin + 1;
        handOvers.put(origin, m, n);
        return n;
    }

    /** Adds a node. */
    private int add(int of, int m, int depth) {
        int n = nodes;
        if (n == parent.length) {
            int[] p = Table.longer(parent);
            int[] i = Table.longer(method);
            int[] d = Table.longer(level);
            long[] c = Table.longer(count);
            long[] o = Table.longer(own);
            long[] u = Table.longer(cpu);
            int[] f = Table.longer(from);
            from = f;
            parent = p;
            method = i;
            level = d;
            count = c;
            own = o;
            cpu = u;
        }
        nodesOfAll.incrementAndGet();
        nodes++;
        parent[n] = of;
        method[n] = m;
        level[n] = depth;
        return n;
    }

    /** Returns the pair of a node and a site, -1 if there is no room. */
    private int pair(int node, int site) {
        int found = calls.get(node, site);
        if (found >= 0) {
            return found;
        }
        if (pairs.get() >= MAX_CALLS) {
            return -1;
        }
        int n = calls.size();
        if (n == pairNode.length) {
            int[] a = Table.longer(pairNode);
            int[] b = Table.longer(pairSite);
            long[] c = Table.longer(pairCount);
            pairNode = a;
            pairSite = b;
            pairCount = c;
        }
        calls.put(node, site, n);
        pairs.incrementAndGet();
        pairNode[n] = node;
        pairSite[n] = site;
        return n;
    }

    /** Adds the figures of the log of an ended thread, which is not used afterwards. */
    synchronized void merge(Log other) {
        synchronized (other) {
            // First, the figures of the ended thread no longer count for the limits.
            nodesOfAll.addAndGet(1 - other.nodes);
            pairs.addAndGet(-other.calls.size());
            int[] here = new int[other.nodes];
            for (int n = 1; n < other.nodes; n++) {
                int above = here[other.parent[n]];
                int to = ~other.method[n];
                if (other.from[n] > 0) {
                    to = handOver(other.from[n] - 1, other.method[n]);
                } else if (above >= 0) {
                    to = child(above, other.method[n]);
                }
                here[n] = to;
                if (to < 0) {
                    Lost.add(~to, other.count[n], other.own[n], other.cpu[n]);
                } else {
                    count[to] += other.count[n];
                    own[to] += other.own[n];
                    cpu[to] += other.cpu[n];
                }
            }
            for (int i = 0; i < other.calls.size(); i++) {
                int node = here[other.pairNode[i]];
                int pair = node < 0 ? -1 : pair(node, other.pairSite[i]);
                if (pair < 0) {
                    Lost.called(other.pairSite[i], other.pairCount[i]);
                } else {
                    pairCount[pair] += other.pairCount[i];
                }
            }
            first = first == 0 || other.first != 0 && other.first < first ? other.first : first;
            last = Math.max(last, other.last);
            events += other.events;
            stray += other.stray;
            if (other.paths != null) {
                other.close(0, other.last);
                if (paths == null) {
                    paths = new Paths(false);
                }
                paths.merge(other.paths);
            }
            missing += other.missing + other.depth;
            jumps += other.jumps;
        }
    }

    /**
     * Writes the log. The innermost activation gets the time until now, and no processor time: only
     * the thread can read its clock.
     */
    synchronized void write(Output out, long now) throws IOException {
        out.number(id);
        out.text(name);
        out.number(first == 0 ? 0 : Math.max(0, first - Runtime.start));
        out.number(first == 0 ? 0 : Math.max(0, last - Runtime.start));
        out.number(depth);
        out.number(stray);
        out.number(missing);
        out.number(jumps);
        int top = depth == 0 ? 0 : stack[depth - 1];
        out.number(nodes - 1);
        for (int n = 1; n < nodes; n++) {
            out.number(n - parent[n]);
            out.number(method[n]);
            out.number(count[n]);
            out.number(n == top ? own[n] + Math.max(0, now - last) : own[n]);
            out.number(cpu[n]);
            out.number(from[n]);
        }
        out.number(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            out.number(pairNode[i]);
            out.number(pairSite[i]);
            out.number(pairCount[i]);
        }
        if (paths == null) {
            out.number(0);
        } else {
            out.number(1);
            paths.write(out, depth > 0, outermost, now);
            int open = 0;
            for (int i = 0; i < depth; i++) {
                open += invoking[i] > 0 ? 1 : 0;
            }
            paths.writeInvocations(out, open);
            for (int i = 0; i < depth; i++) {
                if (invoking[i] > 0) {
                    out.number(invoking[i] - 1);
                    Paths.time(out, invokedAt[i], Math.max(invokedAt[i], now));
                }
            }
        }
    }
}
