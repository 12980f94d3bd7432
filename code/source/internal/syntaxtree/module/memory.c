#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Small blocks are of multiples of a step, larger ones of powers of two.
enum { page = 65536, step = 16, steps = 64, largest = 31, classes = steps + largest };

// A header lies before each block. next is of a block that was freed.
typedef struct header {
  uint32_t class;
  struct header *next;
} header;

bool memory_exhausted;

extern char __heap_base;
static char *unused, *end;
static header *freed[classes];

// class_of returns the class of blocks that have the size.
static uint32_t class_of(uint32_t size) {
  if (size <= step * steps) return (size + step - 1) / step;
  return steps + 22 - __builtin_clz(size - 1);
}

static size_t size_of(uint32_t class) {
  if (class <= steps) return class * step;
  return (size_t)1 << (class - steps + 10);
}

// fresh returns memory that was never used.
static header *fresh(size_t size) {
  if (unused == NULL) {
    unused = (char *)(((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15);
    end = (char *)(__builtin_wasm_memory_size(0) * page);
  }
  if (size > (size_t)(end - unused)) {
    size_t pages = (size - (size_t)(end - unused) + page - 1) / page;
    if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) {
      memory_exhausted = true;
      abort();
    }
    end += pages * page;
  }
  header *block = (header *)unused;
  unused += size;
  return block;
}

void *memory_new(size_t size) {
  if (size > (size_t)1 << (largest - 1)) {
    memory_exhausted = true;
    abort();
  }
  uint32_t class = class_of(size + sizeof(header));
  header *block = freed[class];
  if (block != NULL) {
    freed[class] = block->next;
  } else {
    block = fresh(size_of(class));
    block->class = class;
  }
  return block + 1;
}

void *memory_new_cleared(size_t count, size_t size) {
  size_t all = 0;
  if (__builtin_mul_overflow(count, size, &all)) all = SIZE_MAX;
  return memset(memory_new(all), 0, all);
}

void *memory_resize(void *block, size_t size) {
  if (block == NULL) return memory_new(size);
  size_t now = size_of(((header *)block - 1)->class) - sizeof(header);
  if (size <= now) return block;
  void *larger = memory_new(size);
  memcpy(larger, block, now);
  memory_free(block);
  return larger;
}

void memory_free(void *block) {
  if (block == NULL) return;
  header *h = (header *)block - 1;
  h->next = freed[h->class];
  freed[h->class] = h;
}
