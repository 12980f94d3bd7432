// Package source finds the methods of a recording, and the calls between them, in the Java and
// Kotlin sources of an app.
//
// A recording has the compiler's name of a method, com.example.Main$1.run()V, with the line of
// its first instruction. [Index.Find] finds the declaration of such a name, [Index.Calls] the
// call expressions in its body. Compilers also generate methods from other code: lambdas,
// accessors, stubs for default values, bridges, the classes that Kotlin generates for objects
// and suspended functions, and those that D8 generates for lambdas. For these the result is the
// code that they were generated from.
//
// Terms: a type's binary name has dots between packages and a dollar sign before a nested
// class. A method's own code is its body without the bodies of its lambdas, which the compiler
// turns into separate methods. The bodies of lambdas that are passed to Kotlin's inline
// functions are part of it.
//
// Laws that hold for any files, even invalid ones:
//
//   - a location is within its file, and the text of its Range is on one line;
//   - the order in which files are read changes nothing;
//   - a file that was edited step by step gives the same results as a file that was read
//     in its final state, once it parses again;
//   - equal queries have equal results, in the same order.
//
// A source does not state everything that a compiler knows, so two kinds of results may be
// uncertain. Overloads are matched by the last names of their parameters' types, then by the
// line. If several remain, all are returned as [Ambiguous]. Calls are matched by name, by their
// arguments, and by the visible declarations of the receiver. If several remain, all are
// returned.
//
// The sources may have changed since the recording. In a file that is newer than the recording,
// names count and lines do not, unless both agree. A [Reason] reports this. For a file that is
// open in an editor, the index also has the text on disk, and maps the recording's lines
// through the edits.
//
// A syntax error hides only the code that it covers. While typing breaks code that parsed
// before, locations come from the last text that parsed, moved through the edits. Files may be
// hostile: time, depth and size are bounded. An [Index] is safe for concurrent use. Queries do
// not wait for files that are being read.
package source
