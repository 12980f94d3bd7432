// Package ftrace converts the events of the Linux kernel's tracer to a trace. The events are
// context switches and slices. A slice is a part of a thread's work that a program named. Android's
// atrace and Perfetto both record such events.
//
// A decoder of such a format first adds the threads and processes to [Tasks]. It then passes the
// events to a [Machine] in time order.
//
// # Slices
//
// A slice is a call. Its begin is an Enter, and its end is an Exit. Its processor time is the time
// during which cores ran its thread within the slice, according to the context switches. Each
// thread begins with a call that represents its process. This call contains all slices of the
// thread, and the thread's time outside of slices belongs to it.
//
// Asynchronous slices begin on one thread and end on another. They show that something waits, not
// that a thread works. They are therefore not calls and have no processor time.
//
// Without switches, there is no processor time, and slices have elapsed time. The time of a thread
// outside of slices is then unrecorded, so it has no energy.
//
// # Names
//
// Names of slices contain arguments that differ between runs, such as the number of a frame.
// Function name.PlainSlice replaces them.
//
// # Processes
//
// A machine normally reads one process. [Options] names this process, or the apps that were
// recorded. If no such app runs, the machine chooses the app with the most slices. All
// processes are read if the user requests it, or if there is no app. Each process is then a
// separate call. A warning states which process was chosen.
//
// The threads of other processes have no events, but their switches are sent as signals of
// [trace.NoThread]. If one process is read, threads whose process is unknown are not read. A
// warning states how long such threads ran.
//
// The system may reuse the number of a thread that has ended. A decoder that reads the events in
// time order before it fills the [Tasks] can give such threads different ids. Otherwise they count
// as one thread. The slices of that thread end when the first of these threads ends, and a warning
// is added.
//
// # Imperfect recordings
//
//   - An end without a begin has no name and is dropped.
//   - A slice that is open at the end of the recording ends there.
//   - If a core switches away from a thread that it did not switch to before, switches are missing.
//     The time in between belongs to the earlier thread.
//   - The time of a core before its first switch belongs to no thread.
//   - An event that is older than the event before it gets the time of that event, and so does an
//     event outside of the recording's [Span].
//
// Warnings count all of these faults.
package ftrace
