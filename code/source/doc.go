// Package source finds the methods of a recording, and the calls between them,
// in the Java and Kotlin sources of an app.
//
// A recording names a method as the compiler did, com.example.Main$1.run()V, with
// the line of its first instruction. [Index.Find] finds the declaration of such a
// name, [Index.Calls] the call expressions in its body. Compilers also generate
// methods from other code: lambdas, accessors, stubs for default values, bridges,
// the classes that Kotlin generates for objects and suspended functions, and those
// that D8 generates for lambdas. For these the answer is the code that they were
// generated from.
//
// Terms: a type's binary name has dots between packages and a dollar sign before
// a nested class. A method's own code is its body without the bodies of its
// lambdas, which the compiler turns into methods of their own. The bodies of lambdas
// that are passed to Kotlin's inline functions belong to it.
//
// Laws that hold for any files, however broken:
//
//   - a location lies within its file, and the text of its Range is on one line;
//   - the order in which files are read changes nothing;
//   - a file that was edited step by step gives the same answers as one that was read
//     as it is now, once it parses again;
//   - the same question has the same answer, in the same order.
//
// A source does not state everything that a compiler knows, so two answers may be
// uncertain. Overloads are told apart by the last names of their parameters' types,
// then by the line; if several remain, all are returned as [Ambiguous]. Calls are
// told apart by name, by their arguments, and by what the declarations in sight say
// about the receiver; if several remain, all are returned.
//
// The sources may have changed since the recording. In a file that is newer than the
// recording, names count and lines do not, unless both agree; a [Reason] says so.
// For a file that is open in an editor, the index also knows the text on disk, and
// maps the recording's lines through the edits.
//
// A syntax error hides only the code that it covers. While somebody types in a file so
// that the parser no longer understands what it understood before, places are those of
// the last text that it understood, moved through the edits. Files may be hostile: time,
// depth and size are bounded. An [Index] is safe for concurrent use; questions do
// not wait for files that are being read.
package source
