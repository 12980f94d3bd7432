#include "flatten.h"

#include <stdlib.h>

diffprof_flat diffprof_flatten(const TSTree *tree, const uint8_t *skip, uint32_t skip_count,
                               uint32_t max_depth) {
  TSNode root = ts_tree_root_node(tree);
  diffprof_flat flat = {NULL, 0, ts_node_has_error(root), false};
  // A node in six bytes of source is about what code has.
  size_t capacity = 64 + (size_t)(ts_node_end_byte(root) - ts_node_start_byte(root)) / 6;
  uint32_t *open = malloc(((size_t)max_depth + 1) * sizeof *open);
  flat.nodes = malloc(capacity * sizeof *flat.nodes);
  if (open == NULL || flat.nodes == NULL) {
    free(open);
    flat.out_of_memory = true;
    return flat;
  }
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  uint32_t depth = 0;
  bool done = false;
  while (!done) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    TSSymbol kind = ts_node_symbol(node);
    bool skipped = kind < skip_count && skip[kind];
    if (!skipped) {
      if (flat.count == capacity) {
        capacity *= 2;
        diffprof_node *more = realloc(flat.nodes, capacity * sizeof *more);
        if (more == NULL) {
          flat.out_of_memory = true;
          break;
        }
        flat.nodes = more;
      }
      diffprof_node *out = &flat.nodes[flat.count];
      out->start = ts_node_start_byte(node);
      out->end = ts_node_end_byte(node);
      out->next = flat.count + 1;
      out->kind = kind;
      out->field = (uint8_t)ts_tree_cursor_current_field_id(&cursor);
      out->named = ts_node_is_named(node);
      open[depth] = flat.count++;
      if (depth < max_depth && ts_tree_cursor_goto_first_child(&cursor)) {
        depth++;
        continue;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (depth == 0) {
        done = true;
        break;
      }
      ts_tree_cursor_goto_parent(&cursor);
      depth--;
      flat.nodes[open[depth]].next = flat.count;
    }
  }
  ts_tree_cursor_delete(&cursor);
  free(open);
  return flat;
}
