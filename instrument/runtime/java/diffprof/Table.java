package diffprof;

/** A hash table from two numbers, which are not negative, to the index of an entry. */
final class Table {
    private long[] keys = new long[32];
    private int[] values = new int[32];
    private int size;

    int size() {
        return size;
    }

    private static long key(int a, int b) {
        return ((long) a << 32 | b & 0xffffffffL) + 1;
    }

    private int slot(long key) {
        int mask = keys.length - 1;
        long h = key * 0x9e3779b97f4a7c15L;
        int at = (int) (h >>> 32) & mask;
        while (keys[at] != 0 && keys[at] != key) {
            at = at + 1 & mask;
        }
        return at;
    }

    /** Returns the index of an entry, -1 if there is none. */
    int get(int a, int b) {
        long key = key(a, b);
        int at = slot(key);
        return keys[at] == key ? values[at] : -1;
    }

    /** Adds an entry, which must be new. */
    void put(int a, int b, int value) {
        if (2 * size >= keys.length) {
            grow();
        }
        int at = slot(key(a, b));
        keys[at] = key(a, b);
        values[at] = value;
        size++;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        long[] newKeys = new long[2 * oldKeys.length];
        values = new int[2 * oldKeys.length];
        keys = newKeys;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int at = slot(oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
    }

    static int[] longer(int[] a) {
        int[] b = new int[2 * a.length];
        System.arraycopy(a, 0, b, 0, a.length);
        return b;
    }

    static long[] longer(long[] a) {
        long[] b = new long[2 * a.length];
        System.arraycopy(a, 0, b, 0, a.length);
        return b;
    }
}
