// The module that package syntaxtree runs: tree-sitter, its grammars for Java and Kotlin,
// and the functions below. One call parses a text and writes its tree down as an array.
// The module imports one function, and nothing of a system.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// tree-sitter can write logs and graphs, and a word before it aborts. A module without
// files has nothing to write them to.
#define fclose(...) 0
#define fprintf(...) 0
#define fputc(...) 0
#define fputs(...) 0
#define snprintf(...) 0
#define sprintf(...) 0

// tree-sitter is one unit with what follows, so that its functions are inlined.
#include "memory.h"
#include "get_changed_ranges.c"
#include "language.c"
#include "lexer.c"
#include "node.c"
#include "parser.c"
#include "stack.c"
#include "subtree.c"
#include "tree.c"
#include "tree_cursor.c"
#include "wasm_store.c"

#define EXPORT(name) __attribute__((export_name(#name)))

// max_depth bounds the depth of what is written down, so that recursion over it needs a
// bounded stack. Each link of a chain of calls or of a sum nests one or two levels, and
// people do not write thousands of links.
enum { max_depth = 6000, max_kinds = 4096 };

// expired reports whether the parse has to end.
__attribute__((import_module("host"), import_name("expired"))) extern bool expired(void);

extern const TSLanguage *tree_sitter_java(void);
extern const TSLanguage *tree_sitter_kotlin(void);

// A node is one node of a tree, in the order in which the nodes begin. next is the index
// of the first node that is not below it.
typedef struct {
  uint32_t start, end, next;
  uint16_t kind;
  uint8_t field;
  uint8_t named;
} node;

// A grammar has the kinds of nodes that are not written down: comments, and punctuation
// that the tree's shape makes redundant.
typedef struct {
  const TSLanguage *language;
  uint32_t kinds;
  bool skip[max_kinds];
} grammar;

static grammar grammars[2];
static TSParser *parser;
static char *text;
static uint32_t text_capacity;
static struct {
  node *nodes;
  uint32_t count, has_error;
  TSTree *tree;
} result;
static uint32_t node_capacity;
static uint32_t open[max_depth + 1];

static bool skipped(const char *kind) {
  static const char *const kinds[] = {"(", ")", "{", "}", ",", ";", "comment", "line_comment", "block_comment", "multiline_comment"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kind, kinds[i]) == 0) return true;
  }
  return false;
}

static grammar *grammar_of(uint32_t language) {
  grammar *g = &grammars[language];
  if (g->language == NULL) {
    g->language = language == 0 ? tree_sitter_java() : tree_sitter_kotlin();
    g->kinds = ts_language_symbol_count(g->language);
    if (g->kinds > max_kinds) abort();
    for (uint32_t i = 0; i < g->kinds; i++) g->skip[i] = skipped(ts_language_symbol_name(g->language, i));
  }
  return g;
}

// The clock that the parser asks as it begins and each hundred steps. It stands still until
// time is up. The parser has a second.
int clock_gettime(clockid_t clock, struct timespec *time) {
  static time_t seconds = 1;
  if (expired()) seconds += 2;
  *time = (struct timespec){.tv_sec = seconds};
  return 0;
}

EXPORT(kind_count) uint32_t kind_count(uint32_t language) { return grammar_of(language)->kinds; }
EXPORT(kind_name) const char *kind_name(uint32_t language, uint32_t kind) { return ts_language_symbol_name(grammar_of(language)->language, kind); }
EXPORT(field_count) uint32_t field_count(uint32_t language) { return ts_language_field_count(grammar_of(language)->language); }
EXPORT(field_name) const char *field_name(uint32_t language, uint32_t field) { return ts_language_field_name_for_id(grammar_of(language)->language, field); }

// space returns where a text of the length goes.
EXPORT(space) char *space(uint32_t length) {
  if (length > text_capacity) {
    ts_free(text);
    text = ts_malloc(length);
    text_capacity = length;
  }
  return text;
}

// write_down writes a tree down as an array.
static void write_down(const grammar *g, const TSTree *tree) {
  TSNode root = ts_tree_root_node(tree);
  result.count = 0;
  result.has_error = ts_node_has_error(root);
  // A node in four bytes of source is more than code has.
  uint32_t expected = 64 + (ts_node_end_byte(root) - ts_node_start_byte(root)) / 4;
  if (expected > node_capacity) {
    ts_free(result.nodes);
    result.nodes = ts_malloc(expected * sizeof *result.nodes);
    node_capacity = expected;
  }
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (uint32_t depth = 0;;) {
    TSNode at = ts_tree_cursor_current_node(&cursor);
    TSSymbol kind = ts_node_symbol(at);
    if (kind >= g->kinds || !g->skip[kind]) {
      if (result.count == node_capacity) {
        node_capacity *= 2;
        result.nodes = ts_realloc(result.nodes, node_capacity * sizeof *result.nodes);
      }
      result.nodes[result.count] = (node){
        .start = ts_node_start_byte(at), .end = ts_node_end_byte(at), .next = result.count + 1, .kind = kind,
        .field = ts_tree_cursor_current_field_id(&cursor), .named = ts_node_is_named(at),
      };
      open[depth] = result.count++;
      if (depth < max_depth && ts_tree_cursor_goto_first_child(&cursor)) {
        depth++;
        continue;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (depth == 0) {
        ts_tree_cursor_delete(&cursor);
        return;
      }
      ts_tree_cursor_goto_parent(&cursor);
      result.nodes[open[--depth]].next = result.count;
    }
  }
}

// advance takes a lexer to the next character. Most steps of a lexer are the one that is
// written out here: from a character of ASCII to another on its line, in the same piece of
// the text. tree-sitter's own function does the others.
static void advance(TSLexer *data, bool skip) {
  Lexer *lexer = (Lexer *)data;
  uint32_t next = lexer->current_position.bytes + 1, at = next - lexer->chunk_start;
  if (lexer->chunk == NULL || lexer->lookahead_size != 1 || data->lookahead == '\n' || at >= lexer->chunk_size ||
      next >= lexer->included_ranges[lexer->current_included_range_index].end_byte || (lexer->chunk[at] & 0x80)) {
    ts_lexer__advance(data, skip);
    return;
  }
  lexer->current_position.bytes = next;
  lexer->current_position.extent.column++;
  data->lookahead = lexer->chunk[at];
  if (skip) lexer->token_start_position = lexer->current_position;
}

// parse parses the text that lies in its space. An earlier tree of nearly the same text,
// edited, saves time. The result holds until the next call, its tree until forget. It is
// NULL if the time was up.
EXPORT(parse) void *parse(uint32_t language, uint32_t length, const TSTree *earlier) {
  const grammar *g = grammar_of(language);
  if (parser == NULL) {
    parser = ts_parser_new();
    ts_parser_set_timeout_micros(parser, 1000000);
    parser->lexer.data.advance = advance;
  }
  ts_parser_set_language(parser, g->language);
  result.tree = ts_parser_parse_string(parser, earlier, text, length);
  if (result.tree == NULL) {
    ts_parser_reset(parser);
    return NULL;
  }
  write_down(g, result.tree);
  return &result;
}

// edit tells a tree that a stretch of its text was replaced.
EXPORT(edit) void edit(TSTree *tree, uint32_t start, uint32_t start_row, uint32_t start_column, uint32_t old_end, uint32_t old_end_row,
                       uint32_t old_end_column, uint32_t new_end, uint32_t new_end_row, uint32_t new_end_column) {
  ts_tree_edit(tree, &(TSInputEdit){
    .start_byte = start, .start_point = {start_row, start_column},
    .old_end_byte = old_end, .old_end_point = {old_end_row, old_end_column},
    .new_end_byte = new_end, .new_end_point = {new_end_row, new_end_column},
  });
}

// exhausted reports, after the module aborted, whether it had no memory left.
EXPORT(exhausted) bool exhausted(void) { return memory_exhausted; }

EXPORT(forget) void forget(TSTree *tree) { ts_tree_delete(tree); }

// The Kotlin grammar's scanner keeps a stack of the strings that are open, and aborts when
// there are more than 1024. Sources with thousands of broken templates get there, since the
// parser's error recovery leaves strings open behind it. The guard empties the stack before
// that: what follows is read as if no string were open, which costs the rest of such a file
// some accuracy. The scanner itself is compiled under another name.
enum { max_open_strings = 1000 };

extern bool kotlin_scan(void *, void *, const bool *);

bool tree_sitter_kotlin_external_scanner_scan(void *payload, void *lexer, const bool *valid_symbols) {
  struct {
    char *contents;
    uint32_t size, capacity;
  } *strings = payload;
  if (strings->size >= max_open_strings) strings->size = 0;
  return kotlin_scan(payload, lexer, valid_symbols);
}
