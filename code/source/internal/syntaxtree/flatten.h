#ifndef DIFFPROF_FLATTEN_H
#define DIFFPROF_FLATTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The part of tree-sitter's C interface (ABI 14) that this package calls. The
// library itself is compiled with the Go module that carries it; these names
// resolve when the program is linked.
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef uint16_t TSSymbol;
typedef struct {
  uint32_t row, column;
} TSPoint;
typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;
typedef struct {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;
typedef struct {
  uint32_t start_byte, old_end_byte, new_end_byte;
  TSPoint start_point, old_end_point, new_end_point;
} TSInputEdit;

extern TSParser *ts_parser_new(void);
extern void ts_parser_delete(TSParser *);
extern bool ts_parser_set_language(TSParser *, const TSLanguage *);
extern void ts_parser_set_timeout_micros(TSParser *, uint64_t);
extern void ts_parser_set_cancellation_flag(TSParser *, const size_t *);
extern void ts_parser_reset(TSParser *);
extern TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
extern void ts_tree_edit(TSTree *, const TSInputEdit *);
extern void ts_tree_delete(TSTree *);
extern TSNode ts_tree_root_node(const TSTree *);
extern TSSymbol ts_node_symbol(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern bool ts_node_has_error(TSNode);
extern bool ts_node_is_named(TSNode);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern void ts_tree_cursor_delete(TSTreeCursor *);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern uint32_t ts_language_symbol_count(const TSLanguage *);
extern const char *ts_language_symbol_name(const TSLanguage *, TSSymbol);
extern uint32_t ts_language_field_count(const TSLanguage *);
extern const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t);
extern const TSLanguage *tree_sitter_java(void);
extern const TSLanguage *tree_sitter_kotlin(void);

// A diffprof_node is one node of a tree, in the order in which the nodes begin.
// next is the index of the first node that is not below it.
typedef struct {
  uint32_t start, end, next;
  uint16_t kind;
  uint8_t field;
  uint8_t named;
} diffprof_node;

typedef struct {
  diffprof_node *nodes;
  uint32_t count;
  bool has_error;
  bool out_of_memory;
} diffprof_flat;

// diffprof_flatten writes a tree down as an array, without the nodes whose kind
// is set in skip and without what lies deeper than max_depth. The array is the
// caller's to free.
diffprof_flat diffprof_flatten(const TSTree *tree, const uint8_t *skip, uint32_t skip_count,
                               uint32_t max_depth);

#endif
