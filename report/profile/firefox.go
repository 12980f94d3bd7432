package profile

import "io"

// Firefox writes a profile of the Firefox Profiler with one thread per column. It uses version 24
// of the processed format, which all later versions of the profiler read. A context is a sample,
// and its weight is the context's value. The time of the sample is the sum of the values of all
// earlier contexts, with 1 mJ as 1 ms, so the axis is energy and not time.
func Firefox(w io.Writer, p *Profile) error {
	t := newText(w)
	t.put(`{"meta":{"interval":1,"startTime":0,"processType":0,"product":`, quoted(p.Title), `,"stackwalk":1,"debug":false,"version":19,`,
		`"preprocessedProfileVersion":24,"symbolicated":true,"platform":"","oscpu":"","misc":"","abi":"","toolkit":"","importedFrom":`, quoted(p.writer()),
		`,"categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],"markerSchema":[],"sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"}},`, "\n",
		`"libs":[],"pages":[],"counters":[],"threads":[`, "\n")
	first := true
	for i, c := range p.sides() {
		t.comma(&first)
		process, pid := p.Title, 1
		if p.Comparison {
			process, pid = c.Name, i+1
		}
		p.firefoxThread(t, &c, process, pid, i+1)
	}
	t.put("]}\n")
	return t.Flush()
}

// firefoxThread writes a thread with the samples of a column.
func (p *Profile) firefoxThread(t text, c *Column, process string, pid, tid int) {
	l := p.lay(c)
	var stacks, weights, moments []int64
	for i := 1; i < len(p.Nodes); i++ {
		if c.Self[i] != 0 {
			stacks, weights, moments = append(stacks, int64(i)-1), append(weights, c.Self[i]), append(moments, l.begin[i])
		}
	}
	t.put(`{"name":`, quoted(named(c)), `,"processType":"default","processName":`, quoted(process), `,"isMainThread":`, mainThread(tid),
		`,"pid":`, pid, `,"tid":`, tid,
		`,"processStartupTime":0,"processShutdownTime":null,"registerTime":0,"unregisterTime":null,"pausedRanges":[],"libs":[],`, "\n")
	t.put(`"samples":{"length":`, len(stacks), `,"weightType":"`)
	if c.Unit == Nanoseconds {
		t.put(`tracing-ms","weight":[`)
		for i, weight := range weights {
			if i > 0 {
				t.put(",")
			}
			t.decimal(weight, 1e6)
		}
		t.put("]")
	} else {
		t.put(`samples","weight":`)
		list(t, weights)
	}
	t.put(`,"stack":`)
	list(t, stacks)
	t.put(`,"time":[`)
	for i, at := range moments {
		if i > 0 {
			t.put(",")
		}
		t.decimal(at, 1e6)
	}
	t.put("]},\n", `"markers":{"length":0,"category":[],"data":[],"name":[],"startTime":[],"endTime":[],"phase":[]},`, "\n")
	p.firefoxTables(t)
}

// firefoxTables writes the stacks (the contexts) and the methods.
func (p *Profile) firefoxTables(t text) {
	n := len(p.Nodes) - 1
	t.put(`"stackTable":{"length":`, n, `,"prefix":[`)
	for i := 1; i <= n; i++ {
		if i > 1 {
			t.put(",")
		}
		if parent := p.Nodes[i].Parent; parent == 0 {
			t.put("null")
		} else {
			t.put(parent - 1)
		}
	}
	t.put(`],"frame":[`)
	for i := 1; i <= n; i++ {
		if i > 1 {
			t.put(",")
		}
		t.put(p.Nodes[i].Frame)
	}
	t.put(`],"category":`)
	t.repeat("0", n)
	t.put(`,"subcategory":`)
	t.repeat("0", n)
	t.put("},\n")
	numbers := make([]int32, len(p.Frames))
	for i := range numbers {
		numbers[i] = int32(i)
	}
	m := len(p.Frames)
	t.put(`"frameTable":{"length":`, m, `,"address":`)
	t.repeat("-1", m)
	for _, column := range []string{"implementation", "optimizations", "line", "column", "category", "subcategory", "innerWindowID"} {
		t.put(`,"`, column, `":`)
		t.repeat("null", m)
	}
	t.put(`,"func":`)
	list(t, numbers)
	t.put(`},"funcTable":{"length":`, m, `,"name":`)
	list(t, numbers)
	t.put(`,"isJS":`)
	t.repeat("false", m)
	t.put(`,"relevantForJS":`)
	t.repeat("false", m)
	for _, column := range []string{"resource", "address"} {
		t.put(`,"`, column, `":`)
		t.repeat("-1", m)
	}
	for _, column := range []string{"fileName", "lineNumber", "columnNumber"} {
		t.put(`,"`, column, `":`)
		t.repeat("null", m)
	}
	t.put(`},"resourceTable":{"length":0,"type":[],"name":[],"lib":[],"icon":[],"addonId":[],"host":[]},`, "\n", `"stringArray":[`)
	for i := range p.Frames {
		if i > 0 {
			t.put(",\n")
		}
		t.quote(p.Frames[i].Name)
	}
	t.put("]}")
}

// mainThread formats whether the profiler shows a thread first.
func mainThread(tid int) string {
	if tid == 1 {
		return "true"
	}
	return "false"
}
