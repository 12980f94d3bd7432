package reference;

import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent that counts how often each method of an app begins, and how often it calls each method of the
 * framework. It changes the classes of the app while the machine loads them, and shares no code with diffprof.
 *
 * <p>Its argument is the jar of the app, a colon, and the jar of the framework. It writes lines of two forms:
 *
 * <pre>
 * 3 enter CLASS.METHOD(DESCRIPTOR)
 * 7 call CLASS.METHOD(DESCRIPTOR) CLASS.METHOD(DESCRIPTOR)
 * </pre>
 */
public final class Agent implements ClassFileTransformer {
    private static final String COUNTS = "reference/Counts";

    private final Library app;
    private final Resolver resolver;

    private Agent(Library app, Library framework) {
        this.app = app;
        this.resolver = new Resolver(app, framework);
    }

    public static void premain(String argument, Instrumentation machine) throws Exception {
        String[] jars = argument.split(File.pathSeparator);
        machine.addTransformer(new Agent(new Library(jars[0], null), new Library(jars[1], ClassLoader.getPlatformClassLoader())));
        Runtime.getRuntime().addShutdownHook(new Thread(Counts::write));
    }

    @Override
    public byte[] transform(ClassLoader loader, String of, Class<?> old, ProtectionDomain domain, byte[] content) {
        if (of == null || !app.has(of)) {
            return null;
        }
        try {
            ClassReader reader = new ClassReader(content);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new Changer(of, writer), 0);
            return writer.toByteArray();
        } catch (Throwable t) {
            t.printStackTrace();
            Runtime.getRuntime().halt(3);
            return null;
        }
    }

    private final class Changer extends ClassVisitor {
        private final String of;

        Changer(String of, ClassVisitor next) {
            super(Opcodes.ASM9, next);
            this.of = of;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            String method = of.replace('/', '.') + "." + name + descriptor;
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    event("enter " + method);
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String callee, String type, boolean isInterface) {
                    String resolved = resolver.framework(owner, callee + type);
                    if (resolved != null) {
                        event("call " + method + " " + resolved.replace('/', '.') + "." + callee + type);
                    }
                    super.visitMethodInsn(opcode, owner, callee, type, isInterface);
                }

                private void event(String text) {
                    super.visitLdcInsn(Counts.number(text));
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTS, "count", "(I)V", false);
                }
            };
        }
    }
}
