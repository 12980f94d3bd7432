package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/pflag"
)

// profilingFlags are flags for developing diffprof. Help does not list them.
type profilingFlags struct {
	cpu, memory string
	cpuFile     *os.File
}

func (p *profilingFlags) bind(flags *pflag.FlagSet) {
	flags.StringVar(&p.cpu, "cpuprofile", "", "write a CPU profile of diffprof to `FILE`")
	flags.StringVar(&p.memory, "memprofile", "", "write a profile of diffprof's allocations to `FILE`")
	for _, name := range []string{"cpuprofile", "memprofile"} {
		flags.Lookup(name).Hidden = true
	}
}

func (p *profilingFlags) start() error {
	if p.cpu == "" {
		return nil
	}
	file, err := os.Create(p.cpu)
	if err != nil {
		return fmt.Errorf("writing the CPU profile: %w", err)
	}
	p.cpuFile = file
	return pprof.StartCPUProfile(file)
}

func (p *profilingFlags) stop() error {
	if p.cpuFile != nil {
		pprof.StopCPUProfile()
		if err := p.cpuFile.Close(); err != nil {
			return fmt.Errorf("writing the CPU profile: %w", err)
		}
	}
	if p.memory == "" {
		return nil
	}
	file, err := os.Create(p.memory)
	if err != nil {
		return fmt.Errorf("writing the memory profile: %w", err)
	}
	// A heap profile shows the memory in use at the last collection.
	runtime.GC()
	if err := errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close()); err != nil {
		return fmt.Errorf("writing the memory profile: %w", err)
	}
	return nil
}
