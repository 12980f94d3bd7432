import java.io.File;
import java.io.PrintWriter;
import java.util.Arrays;
import org.jf.dexlib2.DexFileFactory;
import org.jf.dexlib2.Opcodes;
import org.jf.dexlib2.analysis.AnalyzedInstruction;
import org.jf.dexlib2.analysis.ClassPath;
import org.jf.dexlib2.analysis.DexClassProvider;
import org.jf.dexlib2.analysis.MethodAnalyzer;
import org.jf.dexlib2.iface.ClassDef;
import org.jf.dexlib2.iface.DexFile;
import org.jf.dexlib2.iface.Method;
import org.jf.dexlib2.util.ReferenceUtil;

/**
 * Prints the types of the registers before each instruction of dex files, a letter for each
 * register, as the analysis for `baksmali --register-info` finds them.
 */
final class Types {
  /** Letters of the categories of RegisterType, in their order. */
  private static final String LETTERS = "?-01zbpsqcifLlDdUTR!";

  public static void main(String[] args) throws Exception {
    PrintWriter out = new PrintWriter(System.out);
    for (String path : args) {
      DexFile dex = DexFileFactory.loadDexFile(new File(path), Opcodes.forApi(28));
      ClassPath classes = new ClassPath(Arrays.asList(new DexClassProvider(dex)), false, ClassPath.NOT_ART);
      out.println("file " + path);
      for (ClassDef c : dex.getClasses()) {
        for (Method m : c.getMethods()) {
          if (m.getImplementation() == null) {
            continue;
          }
          MethodAnalyzer analyzer;
          try {
            analyzer = new MethodAnalyzer(classes, m, null, false);
          } catch (RuntimeException e) {
            out.println("skipped"); // a result of invoke-custom, or code that it refuses
            continue;
          }
          out.println("method " + ReferenceUtil.getMethodDescriptor(m));
          int registers = m.getImplementation().getRegisterCount();
          for (AnalyzedInstruction in : analyzer.getAnalyzedInstructions()) {
            StringBuilder line = new StringBuilder(Integer.toString(analyzer.getInstructionAddress(in))).append(' ');
            for (int r = 0; r < registers; r++) {
              line.append(LETTERS.charAt(in.getPreInstructionRegisterType(r).category));
            }
            out.println(line);
          }
        }
      }
    }
    out.flush();
  }
}
