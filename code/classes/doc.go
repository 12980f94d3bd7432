// Package classes knows which packages a platform has and which classes extend
// which.
//
// A [Table] holds both. The built-in table lists the packages and classes of several
// Android versions and of one JDK; package platform decides by it whose code a
// method is.
//
// # Hierarchy
//
// A class's supertypes are those it has in any version the table was made from.
// java.lang.Object is a supertype of every other name. The relation is strict:
// no class is its own subtype, not even in a damaged hierarchy that has a cycle.
// Names are written with dots, nested classes with '$': android.view.View$1.
//
// [ReadPath] reads an app's hierarchy from class files, dex files (versions 035
// to 041, multidex and containers included) and the zip archives that hold them
// (jar, apk, aar, jmod). It looks at content, never at a file's name. Its input
// may be hostile: what it reads, expands and keeps is bounded by [Limits].
//
// A [Table] is immutable and safe for concurrent use.
//
// Sources: The Java Virtual Machine Specification, chapter 4; the Android
// documents on the dex format; section 3.5 of Jindal and Hu, "Differential
// Energy Profiling" (OSDI 2018), for what the answers are used for.
package classes

//go:generate go run ../../tools/classes -o table.bin -jdk $JAVA_HOME $ANDROID_ALL
