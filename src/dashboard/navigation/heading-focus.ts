import { useEffect, useRef, type RefObject } from 'react';

// On the first page, the focus stays where the browser puts it.
let isFirstPage = true;

/** For a page's heading, which gets the focus after navigation. */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
    window.scrollTo(0, 0);
  }, []);
  return heading;
}
