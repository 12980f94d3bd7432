package platform

import "github.com/diffprof/diffprof/name"

// dotnet describes the class library of .NET, and the libraries installed for web applications.
// Some NuGet packages that are not part of .NET also begin with System, such as System.Reactive. A
// user's rule can assign them to the app.
var dotnet = system{
	lang:      name.DotNet,
	separator: ".",
	parents: []string{
		"System", "Microsoft.AspNetCore", "Microsoft.CSharp", "Microsoft.Extensions", "Microsoft.VisualBasic", "Microsoft.Win32",
		"MS",                                    // WPF
		"Microsoft.Maui", "Android", "AndroidX", // .NET for Android
	},
	modules: []string{"libcoreclr", "libclrjit", "libhostfxr", "libhostpolicy", "libSystem", "coreclr", "clrjit", "clr", "dotnet"},
	waits: map[string][]string{
		"System.Threading.LowLevelLifoSemaphore":                    {"WaitForSignal", "WaitNative"},
		"System.Threading.ManualResetEventSlim":                     {"Wait"},
		"System.Threading.Monitor":                                  {"ObjWait", "Wait"},
		"System.Threading.SemaphoreSlim":                            {"Wait"},
		"System.Threading.SynchronizationContext":                   {"InvokeWaitMethodHelper"},
		"System.Threading.Thread":                                   {"Sleep", "SleepInternal"},
		"System.Threading.WaitHandle":                               {"WaitAny", "WaitMultiple", "WaitOne", "WaitOneCore", "WaitOneNoCheck"},
		"System.Windows.Threading.DispatcherSynchronizationContext": {"InvokeWaitMethodHelper"},
	},
	roles: map[string]map[string]Role{
		// The thread pool, and separate threads.
		"System.Threading.PortableThreadPool.WorkerThread": {"WorkerThreadStart": Launcher},
		"System.Threading.ThreadPoolWorkQueue":             {"Dispatch": Launcher},
		"System.Threading.Thread":                          {"StartCallback": Launcher, "StartHelper": Launcher},
		"System.Threading.Thread.StartHelper":              {"Run": Launcher, "RunWorker": Launcher},
		"System.Threading.ThreadHelper":                    {"ThreadStart": Launcher, "ThreadStart_Context": Launcher},
		// The start and resumption of asynchronous methods.
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder":      {"Start": Stub},
		"System.Runtime.CompilerServices.AsyncValueTaskMethodBuilder": {"Start": Stub},
		"System.Runtime.CompilerServices.AsyncVoidMethodBuilder":      {"Start": Stub},
		"System.Runtime.CompilerServices.AsyncMethodBuilderCore":      {"Start": Stub},
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder.AsyncStateMachineBox": {
			"ExecuteFromThreadPool": Launcher, "MoveNext": Launcher, "ExecutionContextCallback": Launcher,
		},
		"System.Threading.ExecutionContext": {"RunFromThreadPoolDispatchLoop": Launcher, "RunInternal": Launcher, "Run": Launcher},
	},
}
