package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// kernelRole returns the role of a function at the entry of the Linux kernel:
//
//   - [Interrupt] for functions that handle an interrupt;
//   - [Stub] for functions on the way to a system call, which differ between kernel versions.
//
// Other functions have no role. A page fault has no role, because the code that uses the memory
// causes it.
//
// The names are from arch/x86/entry, arch/x86/kernel/irq.c, arch/arm64/kernel/entry.S,
// arch/arm64/kernel/entry-common.c, arch/arm/kernel/entry-armv.S and arch/riscv/kernel/traps.c of
// Linux 2.6 to 6.12. kernelRole is called for every method, so it does not concatenate strings.
func kernelRole(m *name.Method) Role {
	switch {
	case m.Lang != name.Native && m.Lang != name.Unknown, m.Scope != "", m.Type != "", m.Module != "" && !m.InKernel():
		return NoRole
	}
	symbol, _, _ := strings.Cut(m.Name, ".") // A compiler's copy ends in .cfi, .isra.0 or similar.
	switch {
	case interrupts[symbol], slices.ContainsFunc(interruptPrefixes, func(p string) bool { return strings.HasPrefix(symbol, p) }):
		return Interrupt
	case strings.HasPrefix(symbol, "smp_") && strings.HasSuffix(symbol, "_interrupt"):
		return Interrupt
	case gates[symbol], strings.HasPrefix(symbol, "entry_SYSCALL_"), strings.HasPrefix(symbol, "entry_SYSENTER_"), strings.HasPrefix(symbol, "entry_INT80_"):
		return Stub
	}
	return NoRole
}

// interrupts are functions in which the kernel begins to handle an interrupt. The interrupt may
// come from a timer, a device or another processor. Softirq functions are missing, because they run
// below these functions, or in the system call that caused them.
var interrupts = setOf(
	"asm_common_interrupt", "asm_spurious_interrupt", "asm_exc_nmi", "asm_exc_machine_check", "common_interrupt", "apic_timer_interrupt", "reschedule_interrupt", "call_function_interrupt",
	"call_function_single_interrupt", "irq_work_interrupt", "thermal_interrupt", "threshold_interrupt", "error_interrupt", "spurious_interrupt", "reboot_interrupt",
	"hyperv_callback_vector", "hv_stimer0_callback_vector", "xen_hvm_callback_vector", "xen_do_hypervisor_callback", "xen_evtchn_do_upcall", "kvm_posted_intr_ipi",
	"irq_entries_start", "ret_from_intr", "retint_user", "retint_kernel", "retint_careful", "retint_swapgs", "end_repeat_nmi", "fred_extint", "do_IRQ", "__do_IRQ", "__irqentry_text_start",
	"el0_irq", "el1_irq", "el0_irq_naked", "el0_irq_compat", "el0_interrupt", "el1_interrupt", "el0_error", "el1_error", "el0_error_naked", "gic_handle_irq", "handle_IPI",
	"__irq_svc", "__irq_usr", "riscv_intc_irq",
)

// interruptPrefixes are name prefixes of functions like those in interrupts.
var interruptPrefixes = []string{
	"asm_sysvec_", "sysvec_", "__sysvec_", "fred_sysvec_", "el0t_64_irq", "el0t_32_irq", "el1h_64_irq", "el1t_64_irq", "el0t_64_fiq", "el0t_32_fiq", "el1h_64_fiq", "el0t_64_error", "el1h_64_error",
	"__el0_irq_", "__el0_fiq_", "__el0_error_",
}

// gates are functions between a program and the kernel function that does the system call's work.
var gates = setOf(
	"do_syscall_64", "do_syscall_x64", "x64_sys_call", "system_call", "system_call_fastpath", "system_call_after_swapgs", "sysenter_do_call", "sysenter_dispatch", "tracesys", "do_int80_syscall_32",
	"do_fast_syscall_32", "__do_fast_syscall_32", "do_syscall_32_irqs_on", "ia32_sys_call", "el0_svc", "el0_svc_naked", "el0_svc_handler", "el0_svc_common", "do_el0_svc", "invoke_syscall", "__invoke_syscall",
	"el0t_64_sync", "el0t_64_sync_handler", "el0_sync", "el0_sync_handler", "ret_fast_syscall", "vector_swi", "do_trap_ecall_u",
)
