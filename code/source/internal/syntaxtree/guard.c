#include "guard.h"

#include <stdlib.h>
#include <string.h>

// The Kotlin grammar's scanner keeps a stack of the strings that are open, and
// ends the process when there are more than 1024. Sources with thousands of
// broken templates get there, since the parser's error recovery leaves strings
// open behind it. The guard empties the stack before that: what follows is read
// as if no string were open, which costs the rest of such a file some accuracy.

// The layout of a grammar of tree-sitter's ABI 14.
struct TSLanguage {
  uint32_t version, symbol_count, alias_count, token_count, external_token_count;
  uint32_t state_count, large_state_count, production_id_count, field_count;
  uint16_t max_alias_sequence_length;
  const void *tables[13];
  void (*lex_fn)(void);
  void (*keyword_lex_fn)(void);
  TSSymbol keyword_capture_token;
  struct {
    const bool *states;
    const TSSymbol *symbol_map;
    void *(*create)(void);
    void (*destroy)(void *);
    bool (*scan)(void *, void *, const bool *);
    unsigned (*serialize)(void *, char *);
    void (*deserialize)(void *, const char *, unsigned);
  } external_scanner;
  const void *primary_state_ids;
};

// The scanner's stack.
typedef struct {
  char *contents;
  uint32_t size, capacity;
} open_strings;

enum { max_open_strings = 1000 };

extern bool tree_sitter_kotlin_external_scanner_scan(void *, void *, const bool *);

static bool guarded_scan(void *payload, void *lexer, const bool *valid_symbols) {
  open_strings *open = payload;
  if (open->size >= max_open_strings) open->size = 0;
  return tree_sitter_kotlin_external_scanner_scan(payload, lexer, valid_symbols);
}

const TSLanguage *diffprof_kotlin(void) {
  const TSLanguage *original = tree_sitter_kotlin();
  if (original->version != 14 ||
      original->external_scanner.scan != tree_sitter_kotlin_external_scanner_scan) {
    return NULL;
  }
  // A grammar lives as long as the program.
  TSLanguage *guarded = malloc(sizeof *guarded);
  if (guarded == NULL) return NULL;
  memcpy(guarded, original, sizeof *guarded);
  guarded->external_scanner.scan = guarded_scan;
  return guarded;
}
