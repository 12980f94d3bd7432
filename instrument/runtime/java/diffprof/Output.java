package diffprof;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;

/**
 * A block of a file: the magic, a kind, the length of the content, the content, and a checksum of
 * the kind and the content. Numbers are unsigned LEB128, texts have their length in front.
 */
final class Output extends ByteArrayOutputStream {
    private static final byte[] MAGIC = {(byte) 0x89, 'D', 'P', 'C', 'A', 'L', 'L', '\n'};

    Output() {
        super(1 << 12);
    }

    void number(long n) {
        for (; (n & ~0x7fL) != 0; n >>>= 7) {
            write((int) (n & 0x7f | 0x80));
        }
        write((int) n);
    }

    void text(String s) throws IOException {
        byte[] b = (s == null ? "" : s).getBytes("UTF-8");
        number(b.length);
        write(b, 0, b.length);
    }

    void block(int kind, OutputStream to) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(kind);
        sum.update(buf, 0, count);
        to.write(MAGIC);
        to.write(kind);
        four(to, count);
        to.write(buf, 0, count);
        four(to, (int) sum.getValue());
    }

    private static void four(OutputStream to, int n) throws IOException {
        for (int i = 0; i < 32; i += 8) {
            to.write(n >>> i);
        }
    }
}
