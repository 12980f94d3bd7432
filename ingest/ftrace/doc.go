// Package ftrace makes a run of what a kernel's tracer saw: threads that are switched in and
// out, and slices, which are parts of a thread's work that a program gave a name to. Android's
// atrace and Perfetto record both.
//
// A reader of such a format first tells [Tasks] which threads and processes there are. It
// then feeds a [Machine] with the events, in the order of their time.
//
// # What a slice is
//
// A slice is a call: its begin an Enter and its end an Exit. Its processor time is what the
// switches say that its thread ran in the meantime. Each thread begins with a call that
// stands for its process, within which all of its slices lie. So what a thread runs outside
// of its slices is kept, as that call's.
//
// Slices that one thread begins and another ends, asynchronous ones, tell what was
// awaited and not who worked. They are no calls and have no processor time.
//
// Without switches there is no processor time. Slices then have the time that passed.
//
// # Names
//
// Names of slices hold arguments, such as the number of a frame, that no other run repeats.
// Methods are named by [Plain], which replaces them.
//
// # Processes
//
// A machine reads one process. [Options] names it, or the apps that were recorded. If they name
// none that runs, the machine takes the app with the most slices. If there is no app, or all
// are asked for, it reads all processes, each as a call of its own. A warning says what was
// chosen. The threads of other processes have no events. Their switches are still signals, of
// [trace.NoThread]. A thread whose process nobody states is in no process, and a warning says
// what it ran.
//
// A number of a thread stands for one thread. A system may give the number of one that ended to
// another. A reader that has events in order of time when it tells the [Tasks] tells the two by
// numbers of its own. Else they are taken for one, whose slices end with the first, and a
// warning says so.
//
// # Imperfect recordings
//
// An end without a begin is dropped, since it has no name. A slice that is open at the end
// ends there. Where a core switches from another thread than it switched to, switches are
// missing; the time in between is that of the thread that was switched to. A core's time
// before its first switch is nobody's. A moment before an earlier one is taken for that
// one. All are counted in warnings.
package ftrace
