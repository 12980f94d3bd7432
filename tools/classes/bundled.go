package main

import (
	"slices"
	"strings"
)

// bundledParents are packages in the jars that are not framework to an app, with all packages below
// them. An app that uses such a library ships its own copy, and the work of that copy belongs to
// the app. The list does not affect copies that the platform renamed into its own packages, such as
// com.android.wifi.x.com.google.protobuf.
var bundledParents = []string{
	// These are libraries that apps ship.
	"android.arch", "android.support", "androidx",
	"com.google.android.gms", "com.google.android.material",
	"kotlin", "kotlinx",

	// These are libraries of the system services. They are in the jar of these services, and not on
	// the class path of an app.
	"co.nstant", "com.github", "com.google.security", "com.ibm.icu",
	"org.apache.commons", "org.brotli", "org.tukaani",

	// These are tests, and tools for making the jars.
	"junit", "org.junit", "org.robolectric",

	// These are system apps. The jars have a few of their classes, which define flags. Developers
	// who profile a launcher built from Android's sources want it to be an app.
	"com.android.launcher3", "com.android.providers", "com.android.settings",
	"com.android.settingslib", "com.android.systemui",
	"com.google.android.apps", "com.google.android.clockwork", "com.google.android.wearable",

	// These are tools of a JDK for developers. They do not run inside a program under test. They
	// are a third of the JDK's classes.
	"com.sun.tools", "jdk.javadoc", "jdk.jshell", "jdk.tools", "org.graalvm", "sun.jvm", "sun.tools",
}

// bundledPackages are such packages without the packages below them. The annotations of JSR 305
// have the same parent as javax.annotation.processing of the JDK.
var bundledPackages = []string{"javax.annotation", "javax.annotation.concurrent", "javax.annotation.meta"}

func bundled(pkg string) bool {
	return slices.Contains(bundledPackages, pkg) || slices.ContainsFunc(bundledParents, func(parent string) bool {
		return pkg == parent || strings.HasPrefix(pkg, parent) && pkg[len(parent)] == '.'
	})
}
