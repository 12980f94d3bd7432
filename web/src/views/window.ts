// Lists draw only the lines in sight, so fifty thousand lines scroll like fifty.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A Seen is the part of a scrolled element that is in sight, in pixels. */
export interface Seen {
  top: number;
  height: number;
  width: number;
}

/** useSeen follows which part of a scrolling element is in sight. */
export function useSeen(ref: RefObject<HTMLElement | null>): Seen {
  const [seen, set] = useState<Seen>({ top: 0, height: 0, width: 0 });
  useLayoutEffect(() => {
    const element = ref.current!;
    const look = () => set({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return seen;
}

/** reveal scrolls so that the stretch from y on is in sight, below a header that sticks. */
export function reveal(element: HTMLElement | null, y: number, height: number, header: number): void {
  if (!element) return;
  if (y < element.scrollTop) element.scrollTop = y;
  else if (y + height > element.scrollTop + element.clientHeight - header) {
    element.scrollTop = y + height - element.clientHeight + header;
  }
}
