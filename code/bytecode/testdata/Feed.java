package com.mine;

import java.util.List;

class Feed {
  void refresh(List<String> to) {
    to.add("a");
    to.add(0, "b");
    to.add(
        "c");
  }

  void refresh() {
    refresh(
        List.of());
  }
}
