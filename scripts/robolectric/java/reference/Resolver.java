package reference;

/** Finds the method that a call names, by the rules of the Java machine: superclasses first, then interfaces. */
final class Resolver {
    private final Library app;
    private final Library framework;

    Resolver(Library app, Library framework) {
        this.app = app;
        this.framework = framework;
    }

    /**
     * Returns the class of the framework that a call reaches: the named class, or the first class of the framework
     * above it. It returns null for calls of the app's own methods.
     */
    String framework(String owner, String method) {
        if (owner.startsWith("[")) {
            return "java/lang/Object";
        }
        String above = owner;
        while (above != null && app.has(above)) {
            Library.Definition definition = app.find(above);
            if (definition.methods.contains(method)) {
                return null;
            }
            above = definition.superclass;
        }
        if (above == null || above.equals(owner)) {
            return framework.find(owner) != null ? owner : null;
        }
        if (inherits(above, method)) {
            return above;
        }
        for (String at = owner; at != null && app.has(at); at = app.find(at).superclass) {
            for (String each : app.find(at).interfaces) {
                String found = ofInterface(each, method);
                if (found != null) {
                    return found.isEmpty() ? null : found;
                }
            }
        }
        return null;
    }

    /** Reports whether a class of the framework has a method, or one of its superclasses. */
    private boolean inherits(String name, String method) {
        for (; name != null; name = framework.find(name).superclass) {
            Library.Definition definition = framework.find(name);
            if (definition == null) {
                return false;
            }
            if (definition.methods.contains(method)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the first interface of the framework that leads to a method, an empty text if an interface of the app has the
     * method, and null if there is none.
     */
    private String ofInterface(String name, String method) {
        Library.Definition own = app.find(name);
        Library.Definition definition = own != null ? own : framework.find(name);
        if (definition == null) {
            return null;
        }
        if (definition.methods.contains(method)) {
            return own != null ? "" : name;
        }
        for (String each : definition.interfaces) {
            String found = ofInterface(each, method);
            if (found != null) {
                return found.isEmpty() || own != null ? found : name;
            }
        }
        return null;
    }
}
