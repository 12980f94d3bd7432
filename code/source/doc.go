// Package source finds the methods of a recording, and the calls between them,
// in the Java and Kotlin sources of an app.
//
// A recording names methods as the compiler did: com.example.Main$1.run()V, and
// the line of its first instruction. [Index.Find] takes such a name back to the
// declaration, [Index.Calls] to the call expressions in its body. What the
// compiler made of other code is taken back to that code: lambdas, accessors,
// stubs for default values, bridges, the classes that Kotlin makes for objects
// and suspended functions, the ones that D8 makes for lambdas.
//
// Terms: a type's binary name has dots between packages and a dollar sign before
// a nested class. A method's own code is its body without the bodies of lambdas,
// of which the compiler makes methods of their own, but with those of lambdas
// passed to Kotlin's inline functions.
//
// Laws that hold for any files, however broken:
//
//   - a location lies within its file, and the text of its Range is on one line;
//   - the order in which files are read changes nothing;
//   - a file that was edited step by step answers like one that was read as it is;
//   - the same question has the same answer, in the same order.
//
// Sources do not state what a compiler works out, so an answer may be wrong in
// two ways, and both are bounded. A method is told from its overloads by the last
// names of its parameters' types; where these and the line leave several, all are
// returned as [Ambiguous]. A call is told from others by its name, its arguments
// and what declarations in sight tell of the receiver; where these leave several,
// all are returned.
//
// A recording and the sources may be of different times. A file newer than the
// recording is trusted in its names, not in its lines, unless these agree; a
// [Reason] says so. Of a file that is open in an editor the index knows what is on
// disk as well, and takes the recording's lines through the edits.
//
// Syntax errors cost what they cover. Files may be hostile: time, depth and size
// are bounded. An [Index] is safe for concurrent use; questions do not wait for
// files that are being read.
package source
