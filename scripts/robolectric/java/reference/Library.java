package reference;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The classes of a jar. Names have slashes. If there is a loader, it has further classes. */
final class Library {
    /** What the resolution of a call must know about a class. */
    static final class Definition {
        String superclass;
        String[] interfaces;
        final Set<String> methods = new HashSet<>();
    }

    private final ZipFile jar;
    private final ClassLoader more;
    private final Map<String, Definition> known = new HashMap<>();

    Library(String path, ClassLoader more) throws IOException {
        jar = new ZipFile(path);
        this.more = more;
    }

    boolean has(String name) {
        return jar.getEntry(name + ".class") != null;
    }

    /** Returns the definition of a class, null if it is missing. */
    synchronized Definition find(String name) {
        if (!known.containsKey(name)) {
            known.put(name, read(name));
        }
        return known.get(name);
    }

    private Definition read(String name) {
        ZipEntry entry = jar.getEntry(name + ".class");
        try (InputStream in = entry != null ? jar.getInputStream(entry)
                : more != null ? more.getResourceAsStream(name + ".class") : null) {
            if (in == null) {
                return null;
            }
            Definition definition = new Definition();
            new ClassReader(in).accept(new ClassVisitor(Opcodes.ASM9) {
                @Override
                public void visit(int version, int access, String name, String signature, String superclass, String[] interfaces) {
                    definition.superclass = superclass;
                    definition.interfaces = interfaces;
                }

                @Override
                public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                    definition.methods.add(name + descriptor);
                    return null;
                }
            }, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return definition;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
