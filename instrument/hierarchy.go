package instrument

import (
	"slices"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
)

const (
	objectClass  = "Ljava/lang/Object;"
	accInterface = 0x0200
)

// ofObject are methods of java.lang.Object that can be called on any object, even through an
// interface.
var ofObject = []string{
	"<init>()V", "getClass()Ljava/lang/Class;", "hashCode()I", "equals(Ljava/lang/Object;)Z", "toString()Ljava/lang/String;",
	"notify()V", "notifyAll()V", "wait()V", "wait(J)V", "wait(JI)V", "clone()Ljava/lang/Object;", "finalize()V",
}

// A class is a class of the app. Class names are descriptors.
type class struct {
	super      string
	interfaces []string
	access     uint32
	// declared has the access flags of the declared methods, by name and descriptor.
	declared map[string]uint32
}

// A hierarchy has the classes of the app, and decides which other classes belong to the platform.
type hierarchy struct {
	classes  map[string]*class
	platform *platform.Platform
	// table has the hierarchy of the framework.
	table  *classes.Table
	owners map[string]bool
}

// add adds the classes of a DEX file.
func (h *hierarchy) add(f *dex.File, members []dex.Members) error {
	for i := range f.Classes {
		def := &f.Classes[i]
		c := &class{access: def.Access, declared: make(map[string]uint32)}
		if def.Super != dex.NoIndex {
			c.super = f.Descriptor(def.Super)
		}
		list, err := f.TypeList(def.Interfaces)
		if err != nil {
			return err
		}
		for _, t := range list {
			c.interfaces = append(c.interfaces, f.Descriptor(uint32(t)))
		}
		for _, m := range slices.Concat(members[i].Direct, members[i].Virtual) {
			c.declared[signature(f, m.Index)] = m.Access
		}
		if descriptor := f.Descriptor(def.Type); h.classes[descriptor] == nil { // If several classes have the same name, Android loads the first.
			h.classes[descriptor] = c
		}
	}
	return nil
}

// signature returns the name and descriptor of a method.
func signature(f *dex.File, method uint32) string {
	id := f.Methods[method]
	return f.Strings[id.Name] + f.Signature(id.Proto)
}

// isFramework reports whether a class that the app does not define belongs to the platform.
func (h *hierarchy) isFramework(descriptor string) bool {
	framework, ok := h.owners[descriptor]
	if !ok {
		framework = h.platform.Owner(name.OfClass(dex.ClassName(descriptor), "any", "()V")) == platform.Framework
		h.owners[descriptor] = framework
	}
	return framework
}

// A destination says whether a call reaches code of the app or of the framework.
type destination uint8

const (
	appCode destination = iota
	framework
	// unclearCall is a call that may reach any of several classes of the platform.
	unclearCall
)

// resolve returns the platform class whose method a call reaches. descriptor is the class that the
// call names, which may be a class of the app.
func (h *hierarchy) resolve(descriptor, method string) (string, destination) {
	if descriptor[0] == '[' {
		return objectClass, framework
	}
	named := h.classes[descriptor]
	if named == nil {
		if h.isFramework(descriptor) {
			return descriptor, framework
		}
		return "", appCode
	}
	top, interfaces, declared := h.supers(descriptor, method)
	if declared || !h.isFramework(top) {
		return "", appCode
	}
	if top == objectClass && slices.Contains(ofObject, method) {
		return top, framework
	}
	// The app's superclasses do not have the method. A concrete class then inherits it from the
	// platform's superclass, or from an interface with a default method.
	var found []string
	isAbstract := false
	for at := 0; at < len(interfaces); at++ {
		c := h.classes[interfaces[at]]
		if c == nil {
			if h.isFramework(interfaces[at]) {
				found = append(found, interfaces[at])
			}
			continue
		}
		if access, ok := c.declared[method]; ok {
			if access&dex.AccAbstract == 0 {
				return "", appCode
			}
			isAbstract = true
		}
		for _, more := range c.interfaces {
			if !slices.Contains(interfaces, more) {
				interfaces = append(interfaces, more)
			}
		}
	}
	switch {
	case isAbstract && (top == objectClass || named.access&(dex.AccAbstract|accInterface) != 0):
		return "", appCode
	case top != objectClass:
		return top, framework
	case len(found) == 1:
		return found[0], framework
	case len(found) > 1:
		return "", unclearCall
	}
	return "", appCode
}

// supers walks up from a class through the app's superclasses. If one of them has the method,
// declared is true. Otherwise top is the first superclass that the app does not define, and
// interfaces are the interfaces of the classes below it.
func (h *hierarchy) supers(descriptor, method string) (top string, interfaces []string, declared bool) {
	const deepest = 1000 // In a damaged file, classes may extend each other.
	for range deepest {
		c := h.classes[descriptor]
		if c == nil {
			return descriptor, interfaces, false
		}
		if _, ok := c.declared[method]; ok {
			return "", nil, true
		}
		for _, i := range c.interfaces {
			if !slices.Contains(interfaces, i) {
				interfaces = append(interfaces, i)
			}
		}
		descriptor = c.super
	}
	return "", nil, true
}
