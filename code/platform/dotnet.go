package platform

import "github.com/diffprof/diffprof/code/name"

// dotnet is the class library of .NET. Some packages of NuGet have System in front
// as well (System.Reactive): users who ship one name it in a rule.
var dotnet = system{
	lang:      name.DotNet,
	separator: ".",
	parents:   []string{"System", "Microsoft.CSharp", "Microsoft.VisualBasic", "Microsoft.Win32"},
	modules:   []string{"libcoreclr", "libclrjit", "libhostfxr", "libhostpolicy", "libSystem", "coreclr", "clrjit", "clr", "dotnet"},
}
