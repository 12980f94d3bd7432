// Package classes says which packages belong to the framework and which
// classes extend which.
//
// The framework is what an app finds on the device: Android's own classes, the
// Java library and the runtime's internals. All else is app, the libraries that
// ship inside an app included: androidx, android.support, kotlin and their like
// are not framework, whatever their names begin with.
//
// # Packages
//
// [Table.Framework] decides by exact package first. The built-in table lists
// the packages of several Android versions and of one JDK. A package it does
// not list is framework under a parent that only the platform uses:
//
//	android.*       except android.arch, android.databinding, android.support
//	com.android.X.* for X in i18n, icu, ims, internal, okhttp, org, server
//	dalvik.*, java.*, jdk.*, libcore.*, sun.*
//	javax.X.*       for X in crypto, microedition, net, security, sql, xml;
//	                except javax.xml.bind, javax.xml.soap, javax.xml.ws
//	org.apache.http.* except org.apache.http.entity.mime
//
// So a vendor's or a later version's framework is not taken for the app. The
// rest of javax is shared with libraries (javax.inject, javax.mail) and the rest
// of com.android with apps and libraries (com.android.volley), so there the
// table alone decides. A vendor's packages elsewhere (miui, com.samsung) look
// like an app's: whoever profiles on such a device names them.
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
