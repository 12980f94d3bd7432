package diffprof;

import java.io.IOException;

/**
 * The paths on which work was handed over, as a tree of methods. The threads of a process share it.
 * Node 0 is the root.
 */
final class Origins {
    /** The largest number of nodes, and the largest number of methods of a path. */
    private static final int MAX = 1 << 14;
    private static final int MAX_LEVEL = Log.MAX_DEPTH / 2;

    private static final Table children = new Table();
    private static int size = 1;
    private static int[] parent = new int[16];
    private static int[] method = new int[16];
    private static int[] level = new int[16];

    private Origins() {}

    /** Returns the child of a node, -1 if there is no room. */
    static synchronized int child(int of, int m) {
        int found = children.get(of, m);
        if (found >= 0) {
            return found;
        }
        if (size >= MAX || level[of] >= MAX_LEVEL) {
            return -1;
        }
        if (size == parent.length) {
            int[] p = Table.longer(parent);
            int[] i = Table.longer(method);
            int[] d = Table.longer(level);
            parent = p;
            method = i;
            level = d;
        }
        children.put(of, m, size);
        parent[size] = of;
        method[size] = m;
        level[size] = level[of] + 1;
        return size++;
    }

    /**
     * Returns the origin of work that begins with a method. Work that hands itself over again keeps
     * its first origin, so that a path does not grow with each time.
     */
    static synchronized int above(int origin, int m) {
        for (int n = origin; n > 0; n = parent[n]) {
            if (method[n] == m) {
                return parent[n];
            }
        }
        return origin;
    }

    static synchronized int level(int node) {
        return level[node];
    }

    static synchronized void write(Output out) throws IOException {
        out.number(size - 1);
        for (int n = 1; n < size; n++) {
            out.number(n - parent[n]);
            out.number(method[n]);
        }
    }
}
