// Package source finds the methods of a recording, and the calls between them, in the Java and
// Kotlin sources of an app.
//
// A recording has a method's compiled name, such as com.example.Main$1.run()V, and the line of its
// first instruction. [Index.Find] finds the declaration of such a name. [Index.Calls] finds the
// call expressions in its body. Compilers also generate methods from other code, for example
// lambdas, accessors, bridges, and stubs for default values. Kotlin generates classes for objects
// and suspended functions, and D8 generates classes for lambdas. The result for a generated method
// is the code from which it was generated.
//
// The binary name of a type has dots between packages, and a dollar sign before a nested class. A
// method's own code is its body without the bodies of its lambdas, because the compiler turns
// lambdas into separate methods. It includes the bodies of lambdas that are passed to Kotlin's
// inline functions.
//
// These laws hold for all files, even for invalid ones:
//
//   - A location is within its file, and the text of its Range is on one line.
//   - The result does not depend on the order in which files are read.
//   - A file that was edited step by step gives the same results as a file that was read in its
//     final state, as soon as it parses again.
//   - Equal queries have equal results in the same order.
//
// Source code does not state everything that a compiler knows, so both kinds of queries may have
// several results. Overloads are matched by the last parts of their parameters' types, then by the
// line. If several overloads remain, all are returned as [Ambiguous]. Calls are matched by name, by
// their arguments, and by the visible declarations of the receiver. If several calls remain, all
// are returned.
//
// The sources may have changed since the recording. In a file that is newer than the recording, a
// method is found by name. Its line is trusted only if the method found by name contains it;
// otherwise the [Reason] is [Changed]. If a file is open in an editor, the index also has its text
// on disk, and converts the recording's lines to the open text.
//
// A syntax error hides only the code that it covers. Typing may break code that parsed before.
// Locations then come from the last text that parsed, adjusted to the edits. Files may be
// malicious, so time, depth and size are bounded. An [Index] is safe for concurrent use. Queries do
// not wait for files that are being read.
package source
