package syntaxtree

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// compressed is the WebAssembly module that module/build makes from module/parsers.c.
//
//go:embed parsers.wasm.gz
var compressed []byte

const (
	pageSize = 64 << 10
	// maxMemory is the maximum memory of an instance in bytes. A byte of dense code takes about 120
	// bytes of memory.
	maxMemory = 1 << 30
	// keepMemory is the memory size above which an instance is not reused for another file. An
	// instance's memory never shrinks.
	keepMemory = 48 << 20
)

// A module has the compiled parsers and their idle instances. It is safe for concurrent use.
type module struct {
	runtime  wazero.Runtime
	code     wazero.CompiledModule
	grammars [2]*grammar
	// memory is the maximum memory of an instance in bytes.
	memory uint32

	mu   sync.Mutex
	idle []*instance
}

// shared is the module that all parsers use.
var shared = sync.OnceValues(func() (*module, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return open("")
	}
	return open(filepath.Join(folder, "diffprof", "parsers"))
})

// open returns a module. Compiling takes several tenths of a second, so the machine code is cached
// in folder. If folder is empty, it is not cached.
func open(folder string) (*module, error) {
	code, err := decompress(compressed)
	if err != nil {
		return nil, fmt.Errorf("decompress the parsers: %w", err)
	}
	config := wazero.NewRuntimeConfig()
	if folder != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(folder); err == nil {
			if m, err := newModule(config.WithCompilationCache(cache), code, maxMemory); err == nil {
				return m, nil
			}
			// The cache folder may be full or have damaged files. Compile without the cache, which
			// only saves time.
		}
	}
	return newModule(config, code, maxMemory)
}

func decompress(compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// newModule compiles the code. Its instances may use at most `memory` bytes.
func newModule(config wazero.RuntimeConfig, code []byte, memory uint32) (*module, error) {
	ctx := context.Background()
	m := &module{memory: memory, runtime: wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(memory/pageSize))}
	if err := m.compile(ctx, code); err != nil {
		return nil, errors.Join(err, m.runtime.Close(ctx))
	}
	return m, nil
}

func (m *module) compile(ctx context.Context, code []byte) error {
	// The parser calls this function every hundred steps. Go's garbage collector can stop the
	// parser only during this call.
	expired := api.GoFunc(func(ctx context.Context, stack []uint64) {
		stack[0] = 0
		if ctx.Err() != nil {
			stack[0] = 1
		}
	})
	_, err := m.runtime.NewHostModuleBuilder("host").NewFunctionBuilder().
		WithGoFunction(expired, nil, []api.ValueType{api.ValueTypeI32}).Export("expired").Instantiate(ctx)
	if err != nil {
		return err
	}
	if m.code, err = m.runtime.CompileModule(ctx, code); err != nil {
		return err
	}
	i, err := m.take()
	if err != nil {
		return err
	}
	for lang := range m.grammars {
		if m.grammars[lang], err = i.grammar(uint64(lang)); err != nil {
			return err
		}
	}
	m.put(i)
	return nil
}

// take returns an instance that is not in use. The caller must put it back.
func (m *module) take() (*instance, error) {
	m.mu.Lock()
	if last := len(m.idle) - 1; last >= 0 {
		i := m.idle[last]
		m.idle = m.idle[:last]
		m.mu.Unlock()
		return i, nil
	}
	m.mu.Unlock()
	ctx := context.Background()
	code, err := m.runtime.InstantiateModule(ctx, m.code, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("start a parser: %w", err)
	}
	return &instance{code: code, module: m, functions: make(map[string]api.Function)}, nil
}

// put returns an instance to the module. It frees an instance that is broken or large, or that
// still holds trees.
func (m *module) put(i *instance) {
	if !i.broken && i.trees == 0 && !i.large() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.idle) < runtime.GOMAXPROCS(0) {
			m.idle = append(m.idle, i)
			return
		}
	}
	i.free()
}
