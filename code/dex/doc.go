// Package dex reads the code of Android apps: DEX files of the versions 035 to 041.
//
// [Parse] reads the tables of a file, or of each file in a container (version 041). [File.Members]
// returns the fields and methods of the classes. [File.Code] decodes the code of a method: its
// instructions, try ranges and handlers. [File.Lines] decodes its line table.
//
// The package accepts any data. The error for a damaged file is a [*syntax.Error] with the offset,
// the cause and advice. Memory and time are linear in the size of a file. Parts of a file may
// overlap, and may refer to the same data. It is an error if the parts add up to much more than in
// a real file.
//
// A [File] is immutable and safe for concurrent use.
//
// Sources: the pages "Dalvik executable format", "Dalvik bytecode format" and "Dalvik executable
// instruction formats" of source.android.com; libdexfile of the Android Open Source Project.
package dex
