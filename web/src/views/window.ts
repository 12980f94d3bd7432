// Lists draw only the visible lines, so fifty thousand lines scroll as fast as fifty.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A Seen is the visible part of a scrolled element, in pixels. */
export interface Seen {
  top: number;
  height: number;
  width: number;
}

/** The printed height and width of a list, in pixels. */
const printed = { height: 56_000, width: 960 };

/** printedRows is the number of printed rows of a height. */
export const printedRows = (rowHeight: number) => Math.floor(printed.height / rowHeight);

/** usePrinting returns whether the page is being printed. */
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

/** useSeen returns the visible part of a scrolling element. On paper it returns the beginning. */
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

/** useMedia returns whether a media query matches. */
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

/** reveal scrolls until the range that begins at y is visible below a sticky header. */
export function reveal(element: HTMLElement | null, y: number, height: number, header: number): void {
  if (!element) return;
  if (y < element.scrollTop) element.scrollTop = y;
  else if (y + height > element.scrollTop + element.clientHeight - header) {
    element.scrollTop = y + height - element.clientHeight + header;
  }
}
