// Package ftrace converts the events of a kernel's tracer to a run. A run has threads that are
// switched in and out, and slices. A slice is a part of a thread's work that a program named.
// Android's atrace and Perfetto both record such events.
//
// A decoder of such a format first adds the threads and processes to [Tasks]. It then passes the
// events to a [Machine] in order of time.
//
// # Slices
//
// A slice is a call. Its begin is an Enter, and its end is an Exit. Its processor time is the time
// that its thread ran during the slice, according to the switches. Each thread begins with a call
// that represents its process and contains all its slices. The time of a thread outside of slices
// belongs to that call.
//
// Asynchronous slices begin on one thread and end on another. They show a wait and no work, so they
// are not calls and have no processor time.
//
// Without switches, there is no processor time. Slices then have elapsed time. The time of a thread
// outside of slices is not recorded, so it has no cost.
//
// # Names
//
// Names of slices contain arguments that differ between runs, such as the number of a frame.
// [Plain] replaces them.
//
// # Processes
//
// A machine reads one process. [Options] names this process, or the apps that were recorded. If
// none of them runs, the machine chooses the app with the most slices. If there is no app, or if
// all processes are requested, the machine reads all processes. Each process is then a separate
// call. A warning states which process was chosen. The threads of other processes have no events.
// Their switches are still sent as signals of [trace.NoThread]. If one process is read, threads
// whose process is unknown are not read. A warning states how long such threads ran.
//
// The number of a thread identifies one thread. The system may reuse the number of a thread that
// has ended. A decoder may process the events in order of time before it fills the [Tasks]. It then
// gives different numbers to such threads. Otherwise they count as one thread. The slices of that
// thread end when the first of these threads ends, and a warning is added.
//
// # Imperfect recordings
//
// An end without a begin has no name, so it is dropped. A slice that is open at the end of the
// recording ends there. If a core switches away from a thread that it did not switch to before,
// switches are missing. The time in between belongs to the earlier thread. The time of a core
// before its first switch belongs to no thread. An event that is older than the event before it
// gets the time of that event. The same holds for an event outside of the recording's [Span].
// Warnings count all of these faults.
package ftrace
