package android.os;

/** Replaces Android's class in tests that run on a JVM. */
public class Handler {}
