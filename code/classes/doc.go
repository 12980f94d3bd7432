// Package classes has the packages of a platform and the hierarchy of classes.
//
// A [Table] holds both. The built-in table lists the packages and classes of several Android
// versions and of one JDK. Package platform uses it to decide which code a method belongs to.
//
// # Hierarchy
//
// A class has all supertypes that it has in any version of the table. java.lang.Object is a
// supertype of every other name. The relation is strict: no class is its own subtype, even in a
// damaged hierarchy with a cycle. Names are written with dots, nested classes with '$':
// android.view.View$1.
//
// [ReadPath] reads an app's hierarchy from class files, dex files (versions 035 to 041,
// including multidex and containers) and the zip archives that contain them (jar, apk, aar,
// jmod). It looks at content, never at a file's name. Its input may be hostile: the data that
// it reads, expands and keeps is bounded by [Limits].
//
// A [Table] is immutable and safe for concurrent use.
//
// Sources: The Java Virtual Machine Specification, chapter 4; the Android documents on the
// dex format; Jindal and Hu, "Differential Energy Profiling" (OSDI 2018), Section 3.5, for
// the use of the answers.
package classes

//go:generate go run ../../tools/classes -o table.bin -jdk $JAVA_HOME $ANDROID_ALL
