// Package ftrace converts the events of a kernel's tracer to a run: threads that are switched
// in and out, and slices, which are parts of a thread's work that a program has named.
// Android's atrace and Perfetto record both.
//
// A decoder of such a format first lists the threads and processes in [Tasks]. It then feeds a
// [Machine] with the events, in order of time.
//
// # Slices
//
// A slice is a call: its begin is an Enter and its end an Exit. Its processor time is the time
// that its thread ran meanwhile, according to the switches. Each thread begins with a call that
// represents its process and contains all its slices. The time of a thread outside of slices
// belongs to that call.
//
// Asynchronous slices begin on one thread and end on another. They show a wait and not work, so
// they are not calls and have no processor time.
//
// Without switches there is no processor time. Slices then have elapsed time, and the time of a
// thread outside of slices is not recorded: it has no cost.
//
// # Names
//
// Names of slices contain arguments, such as the number of a frame, which differ between runs.
// [Plain] replaces them.
//
// # Processes
//
// A machine reads one process. [Options] names it, or the apps that were recorded. If none of
// them runs, the machine chooses the app with the most slices. If there is no app, or if all
// processes are requested, it reads all processes, each as a call of its own. A warning states
// the choice. The threads of other processes have no events. Their switches are still signals,
// of [trace.NoThread]. A thread with an unknown process is not read if one process is, and a
// warning states how long such threads ran.
//
// A thread's number identifies one thread. The system may reuse the number of a thread that has
// ended. A decoder that processes events in order of time before it fills the [Tasks]
// distinguishes such threads by numbers of its own. Otherwise they count as one thread, whose
// slices end with the first of them, and a warning is added.
//
// # Imperfect recordings
//
// An end without a begin is dropped, because it has no name. A slice that is open at the end
// ends there. If a core switches from another thread than the one it switched to before,
// switches are missing; the time between them belongs to the earlier thread. A core's time
// before its first switch belongs to no thread. An event before an earlier one gets the earlier
// one's time. So does an event outside of the recording's [Span]. All of these are counted in warnings.
package ftrace
