package main

import (
	"slices"
	"strings"
)

// bundledParents are packages in the jars, with all packages below them, that are not framework
// to an app: an app that uses such a library ships its own copy, whose work is the app's.
// Copies that the platform renamed into its own packages
// (com.android.wifi.x.com.google.protobuf) stay.
var bundledParents = []string{
	// Libraries that ship inside apps.
	"android.arch", "android.support", "androidx",
	"com.google.android.gms", "com.google.android.material",
	"kotlin", "kotlinx",

	// Libraries of the system services, in their jar and not on an app's class path.
	"co.nstant", "com.github", "com.google.security", "com.ibm.icu",
	"org.apache.commons", "org.brotli", "org.tukaani",

	// Tests and tools for making the jars.
	"junit", "org.junit", "org.robolectric",

	// System apps. The jars hold a few of their classes for flags. Developers who profile a
	// launcher built from Android's sources want it as an app.
	"com.android.launcher3", "com.android.providers", "com.android.settings",
	"com.android.settingslib", "com.android.systemui",
	"com.google.android.apps", "com.google.android.clockwork", "com.google.android.wearable",

	// Developer tools of a JDK. They do not run inside a program under test, and are a third of
	// the JDK's classes.
	"com.sun.tools", "jdk.javadoc", "jdk.jshell", "jdk.tools", "org.graalvm", "sun.jvm", "sun.tools",
}

// bundledPackages are such packages without those below them: the annotations of JSR 305 share
// their parent with the JDK's javax.annotation.processing.
var bundledPackages = []string{"javax.annotation", "javax.annotation.concurrent", "javax.annotation.meta"}

func bundled(pkg string) bool {
	return slices.Contains(bundledPackages, pkg) || slices.ContainsFunc(bundledParents, func(parent string) bool {
		return pkg == parent || strings.HasPrefix(pkg, parent) && pkg[len(parent)] == '.'
	})
}
