// Package dex reads the code of Android apps: DEX files of the versions 035 to 041.
//
// [Parse] reads the tables of a file, or of each file in a container (version 041). [File.Members]
// adds the fields and methods of the classes. [File.Code] decodes the body of a method: its
// instructions, try ranges and handlers. [File.Lines] decodes its line table.
//
// The package accepts any data. A damaged file is an error of type [*syntax.Error] with the offset,
// the cause and advice. Memory and time are linear in the size of a file. Parts of a file may
// overlap, and may refer to the same data. If the parts add up to more than a real file needs, this
// is an error.
//
// A [File] is immutable and safe for concurrent use.
//
// Sources: the pages "Dalvik executable format", "Dalvik bytecode format" and "Dalvik executable
// instruction formats" of source.android.com; libdexfile of the Android Open Source Project.
package dex
