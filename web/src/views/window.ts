// Lists draw only the lines in sight, so fifty thousand lines scroll like fifty.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A Seen is the part of a scrolled element that is in sight, in pixels. */
export interface Seen {
  top: number;
  height: number;
  width: number;
}

/** The pixels of a list that are printed, and the width that it is printed with. */
const printed = { height: 56_000, width: 960 };

/** printedRows is how many rows of a height are printed. */
export const printedRows = (rowHeight: number) => Math.floor(printed.height / rowHeight);

/** usePrinting follows whether the page is being printed. */
export function usePrinting(): boolean {
  const [is, set] = useState(false);
  const paper = useMedia("print");
  useLayoutEffect(() => {
    const [begin, end] = [() => set(true), () => set(false)];
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return is || paper;
}

/** useSeen follows which part of a scrolling element is in sight. On paper that is its beginning. */
export function useSeen(ref: RefObject<HTMLElement | null>): Seen {
  const [seen, set] = useState<Seen>({ top: 0, height: 0, width: 0 });
  const printing = usePrinting();
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
  return printing ? { top: 0, ...printed } : seen;
}

/** useMedia follows whether a media query holds. */
export function useMedia(query: string): boolean {
  const [holds, set] = useState(() => matchMedia(query).matches);
  useLayoutEffect(() => {
    const media = matchMedia(query);
    const look = () => set(media.matches);
    look();
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, [query]);
  return holds;
}

/** reveal scrolls so that the stretch from y on is in sight, below a header that sticks. */
export function reveal(element: HTMLElement | null, y: number, height: number, header: number): void {
  if (!element) return;
  if (y < element.scrollTop) element.scrollTop = y;
  else if (y + height > element.scrollTop + element.clientHeight - header) {
    element.scrollTop = y + height - element.clientHeight + header;
  }
}
