#ifndef DIFFPROF_GUARD_H
#define DIFFPROF_GUARD_H

#include "flatten.h"

// diffprof_kotlin returns the Kotlin grammar with a guard before its scanner, or
// NULL if the grammar is not laid out as the guard expects.
const TSLanguage *diffprof_kotlin(void);

#endif
