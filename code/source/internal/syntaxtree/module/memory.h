// Memory for tree-sitter, which asks for little and often. A block that was freed serves
// the next of its size.

#ifndef DIFFPROF_MEMORY_H
#define DIFFPROF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *memory_new(size_t size);
void *memory_new_cleared(size_t count, size_t size);
void *memory_resize(void *block, size_t size);
void memory_free(void *block);

// memory_exhausted is set before the module aborts since it has no memory left.
extern bool memory_exhausted;

// tree-sitter takes these instead of its own.
#define ts_malloc memory_new
#define ts_calloc memory_new_cleared
#define ts_realloc memory_resize
#define ts_free memory_free

#endif
