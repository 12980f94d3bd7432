package perfetto_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/perfetto"
)

// TestExpected decodes traces from Perfetto's own tests, and compares times and values with the
// results in those tests. Times are relative to the first event if they are in the test.
func TestExpected(t *testing.T) {
	for name, want := range map[string][]string{
		"parser__power__power_rails": {
			"0 test_rail: drain 333000", "4 Testing: gauge 1000", "5 test_rail2: drain 999000", "2000000 test_rail: drain 666000",
		},
		"parser__power__power_rails_custom_clock": {
			"at 0 boottime was 104000000", "0 test_rail: drain 333000", "2000000 test_rail: drain 666000", "2000000 test_rail: drain 999000",
		},
		"parser__power__tests_power_rails__test_power_rails_session_uuid": {
			"0 CPU_RAIL: drain 500000", "1000000 GPU_RAIL: drain 750000", "2000000 CPU_RAIL: drain 1000000", "3000000 GPU_RAIL: drain 1250000",
		},
		"parser__power__energy_breakdown":     {"0 CPUCL0: drain 98567522000"},
		"parser__power__energy_breakdown_uid": {`track "GPU" of "other" in "nJ", core -1, uid 10234`, `track "GPU" of "other" in "nJ", core -1, uid 10190`, `track "GPU" of "other" in "nJ", core -1, uid 10235`},
		"parser__power__entity_state_residency": {
			"0 time in Bluetooth Idle: gauge 1000", "1 time in Bluetooth Idle: gauge 3000", "0 time in Bluetooth Active: gauge 2000", "1 time in Bluetooth Active: gauge 4000",
			"0 time in PCIe-Modem UP: gauge 10000", "1 time in PCIe-Modem UP: gauge 30000", "0 time in PCIe-Modem DOWN: gauge 20000", "1 time in PCIe-Modem DOWN: gauge 40000",
		},
		"parser__power__tests_linux_sysfs_power__test_counters": {
			"0 battery charge: gauge 3005000", "0 battery capacity: gauge 100", "0 battery current: gauge 0",
		},
		"parser__power__tests_linux_sysfs_power__test_multiple_batteries": {"0 BAT0 capacity: gauge 100", "0 BAT1 capacity: gauge 90"},
		"parser__power__suspend_resume":                                   {"40000 suspend: suspend 1", "50000 suspend: suspend 0"},
		"parser__android__tests_cpu_per_uid__test_android_cpu_per_uid_basic": {
			"0 cpu time of uid 0 on cluster 0: gauge 1000000", "2000 cpu time of uid 0 on cluster 0: gauge 1000100",
			"2000 cpu time of uid 1000 on cluster 0: gauge 1002000", "2000 cpu time of uid 1000 on cluster 1: gauge 1000200", "2000 cpu time of uid 1000 on cluster 2: gauge 1000020",
		},
		"parser__android__tests_cpu_per_uid__test_android_cpu_per_uid_malformed": {
			"0 cpu time of uid 1000 on cluster 1: gauge 1000000", "2000 cpu time of uid 0 on cluster 2: gauge 2000000",
		},
		// The trace states differences: 1, 2 and 3 ms, then 10, then 100, 200 and 300.
		"stdlib__android__android_kernel_wakelocks": {
			"0 held kernel_wakelock_1: gauge 10000", "5000000000 held kernel_wakelock_1: gauge 10001", "10000000000 held kernel_wakelock_1: gauge 10011",
			"5000000000 held native_wakelock_2: gauge 20002", "20000000000 held native_wakelock_2: gauge 20202", "20000000000 held kernel_wakelock_3: gauge 30303",
		},
		"metrics__android__tests__test_android_network_activity": {
			`0 network send "wlan" 50 bytes handle 0`, `5 network send "wlan" 300 bytes handle 0`, `1015 network send "wlan" 50 bytes handle 0`, `5000 network receive "loopback" 100 bytes handle 0`,
		},
		"parser__generic_kernel__tests__test_sched_switch_simple":           {`thread "task1" 101 of 0: 2 events, cpu 1s, wall 1s`},
		"parser__generic_kernel__tests__test_sched_switch_huge_tid":         {`thread "task1" 9023372036854775807 of 0: 2 events, cpu 1s, wall 1s`},
		"parser__generic_kernel__tests__test_sched_switch_multiple_threads": {`thread "task1" 1 of 0: 2 events, cpu 1s, wall 2s`, `thread "task2" 2 of 0: 2 events, cpu 1s, wall 1s`},
		"parser__generic_kernel__tests__test_cpu_frequency_event":           {"0 cpu0: frequency 1500000000"},
		"parser__generic_kernel__tests__test_thread_task_rename":            {`thread "newtask1" 101 of 0: 0 events, cpu 0s, wall 0s`},
		"parser__track_event__track_event_with_atrace": {
			"0 thread 1 enter event#, ran 0", "1000 thread 1 exit event#, ran 0", "10000 thread 1 enter event#, ran 0", "11000 thread 1 enter atrace, ran 0",
			// The end of the outer slice also ends the inner slice. In Perfetto's table, both
			// slices end at the same time.
			"18000 thread 1 exit atrace, ran 0", "19000 thread 1 exit event#, ran 0",
		},
		"parser__track_event__track_event_counters": {
			"2000 MySizeCounter: gauge 1024", "2100 MySizeCounter: gauge 2048", "3000 MySizeCounter: gauge 1024", "3200 MyDoubleCounter: gauge 3", "3500 MySizeCounter: gauge 4096",
		},
		"parser__track_event__incremental_counter_sequences": {
			"0 MyIncrementalCounter: gauge 100", "50 MyIncrementalCounter: gauge 50", "100 MyIncrementalCounter: gauge 110", "150 MyIncrementalCounter: gauge 55",
		},
		"parser__track_event__track_event_callstacks": {"0 thread 4242 enter Inline Slice #, ran 0", "130 thread 4242 exit Interned Slice, ran 0"},
		// The flow of FlowSlice1Start leads to FlowSlice1End, and so on.
		"parser__track_event__flow_events_track_event": {"0 thread 1 enqueue 0, ran 0", "20000 thread 2 dispatch 0, ran 0", "40000 thread 1 enqueue 1, ran 0", "45000 thread 2 dispatch 1, ran 0"},
		"parser__track_event__flow_events_proto_v2":    {"0 thread 1 enqueue 0, ran 0", "20000 thread 2 dispatch 0, ran 0", "40000 thread 1 enqueue 1, ran 0", "45000 thread 2 dispatch 1, ran 0"},
		"parser__profiling__perf_sample_switch_interp": {"0 thread 1000 cpu 0 wall 0 value 1: com.example.managed.frame"},
		"parser__profiling__stack_sample": {
			"0 thread 101 cpu 0 wall 1000000 value 0: main:10 foo:42", "1000 thread 101 cpu 0 wall 2000000 value 0: foo", "5000 thread 100 cpu 0 wall 4000000 value 0: foo",
		},
		"parser__ftrace__ftrace_crop_tests__test_crop_compact_sched_switch": {`thread "one:6" 41 of 0: 2 events, cpu 500ns, wall 600ns`},
		"stdlib__dynamic_tables__various_clocks":                            {"at 20 realtime was 1652904000000000000", "at 35 monotonic was 20", "at 50 monotonic was 25"},
	} {
		data := real(t, "conformance/"+name+".pb")
		lines := strings.Split(render(recording{data, perfetto.Options{Process: "*"}}), "\n")
		for _, line := range want {
			if !slices.Contains(lines, line) {
				t.Errorf("%s: no line %s in\n%s", name, line, strings.Join(lines, "\n"))
			}
		}
	}
}
