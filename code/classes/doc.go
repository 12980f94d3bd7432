// Package classes has the packages of a platform and the hierarchy of classes.
//
// A [Table] holds both. The built-in table lists the packages and classes of several Android
// versions and of one JDK. Package platform uses it to find the owner of a method.
//
// # Hierarchy
//
// A class has all supertypes that it has in any version of the table. java.lang.Object is a
// supertype of every other name. No class is its own subtype, even if the hierarchy is damaged and
// has a cycle. Names have dots between packages, and '$' before nested classes, as in
// android.view.View$1.
//
// [ReadPath] reads the hierarchy of an app from class files and DEX files (versions 035 to 041,
// including multidex and containers), and from zip archives with such files (jar, apk, aar, jmod).
// It recognizes a file by its content, never by its name. Its input may be malicious. [Limits]
// bounds the data that it reads, decompresses and keeps.
//
// A [Table] is immutable and safe for concurrent use.
//
// Sources: The Java Virtual Machine Specification, chapter 4; the Android documents on the dex
// format; Jindal and Hu, "Differential Energy Profiling" (OSDI 2018), Section 3.5, for what the
// hierarchy is used for.
package classes

//go:generate go run ../../tools/classes -o table.bin -jdk $JAVA_HOME $ANDROID_ALL
