package classes

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/internal/syntax"
)

// dexMaxInterfaces is the maximum number of interfaces in a container. The container's size does
// not bound this number, because classes can share lists.
const dexMaxInterfaces = 1 << 22

// A dexReader reads the classes of a container of dex files.
type dexReader struct {
	*dex.File
	// names caches class names by the string index of the descriptor.
	names map[uint32]string
	// interfaces is the number of interfaces read so far.
	interfaces int
}

// readDex calls yield with each class that a DEX file or container defines, until yield returns an
// error.
func readDex(file string, data []byte, yield func(Class) error) error {
	files, damage := dex.Parse(data)
	interfaces := 0
	for _, f := range files {
		r := dexReader{f, make(map[uint32]string), interfaces}
		for i := range f.Classes {
			class, err := r.class(&f.Classes[i])
			if err != nil {
				return inFile(file, err)
			}
			if err := yield(class); err != nil {
				return err
			}
		}
		interfaces = r.interfaces
	}
	return inFile(file, damage)
}

// inFile adds the file name to a syntax error.
func inFile(file string, err error) error {
	if damage := (*syntax.Error)(nil); errors.As(err, &damage) {
		damage.File = file
	}
	return err
}

// fail returns a syntax error at an offset.
func fail(offset uint32, format string, args ...any) error {
	return &syntax.Error{Offset: int64(offset), Format: "dex", Err: fmt.Errorf(format, args...)}
}

func (r *dexReader) class(c *dex.Class) (class Class, err error) {
	if class.Name, err = r.name(c.Type); err != nil {
		return class, err
	}
	if c.Super != dex.NoIndex {
		if class.Super, err = r.name(c.Super); err != nil {
			return class, err
		}
	}
	size, err := r.TypeListSize(c.Interfaces)
	if err != nil || size == 0 {
		return class, err
	}
	if r.interfaces += size; size > maxName || r.interfaces > dexMaxInterfaces {
		return class, fail(c.Interfaces, "a list of %d interfaces is beyond the limit of %d in a class and %d in a file", size, maxName, dexMaxInterfaces)
	}
	interfaces, err := r.TypeList(c.Interfaces)
	if err != nil {
		return class, err
	}
	class.Interfaces = make([]string, len(interfaces))
	for i, typ := range interfaces {
		if class.Interfaces[i], err = r.name(uint32(typ)); err != nil {
			return class, err
		}
	}
	return class, nil
}

// name returns the name of the class with the given type index.
func (r *dexReader) name(typ uint32) (string, error) {
	text := r.Types[typ]
	if name, ok := r.names[text]; ok {
		return name, nil
	}
	raw := r.Strings[text]
	if len(raw) > maxName+2 {
		return "", r.DamageInString(text, fmt.Errorf("%w: a descriptor of %d bytes", errClassName, len(raw)))
	}
	descriptor, err := dex.Text(raw)
	if err != nil {
		return "", r.DamageInString(text, err)
	}
	if len(descriptor) < 3 || descriptor[0] != 'L' || descriptor[len(descriptor)-1] != ';' {
		return "", r.DamageInString(text, fmt.Errorf("%w: descriptor %.80q", errClassName, descriptor))
	}
	name, err := binaryName(descriptor[1 : len(descriptor)-1])
	if err != nil {
		return "", r.DamageInString(text, fmt.Errorf("%w: descriptor %.80q", err, descriptor))
	}
	r.names[text] = name
	return name, nil
}
