import type { Page } from 'playwright-core';

/** The limits of the measurement. */
export interface Measure {
  /** The minimum width and height of touch targets, in pixels. */
  touch: number;
}

/**
 * The layout problems of a page, one line each: a page that is wider than its window, text that is cut off without a title,
 * or in the middle of a line, a number or a day that breaks across lines, a state without visible text, and a touch target that
 * is too small.
 */
export const layoutProblems = (page: Page, measure: Measure): Promise<string[]> =>
  page.evaluate(({ touch }) => {
    const found: string[] = [];
    const named = (element: Element): string => {
      const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
      return `<${element.tagName.toLowerCase()} class="${String(element.getAttribute('class')).slice(0, 60)}"> ${text}`;
    };
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (wide > 0) found.push(`the page is ${wide} pixels wider than its window`);

    /** Whether an element is hidden, or for screen readers only. */
    const hidden = (element: Element): boolean => {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
      for (let each: Element | null = element; each; each = each.parentElement) {
        const { clipPath, clip, position } = getComputedStyle(each);
        if (position === 'absolute' && (clipPath.startsWith('inset') || clip.startsWith('rect'))) return true;
        if (each.getAttribute('aria-hidden') === 'true' && each.tagName === 'CANVAS') return true;
      }
      return false;
    };

    /** The nearest ancestor that clips overflowing content. None if an ancestor scrolls. */
    const cutter = (element: Element): Element | undefined => {
      for (let each: Element | null = element; each && each !== document.body; each = each.parentElement) {
        const { overflowX } = getComputedStyle(each);
        if (overflowX === 'auto' || overflowX === 'scroll') return undefined;
        if (overflowX === 'hidden' || overflowX === 'clip') return each;
      }
      return undefined;
    };

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      const content = node.textContent ?? '';
      if (!parent || !content.trim() || parent.closest('script, style, noscript, textarea') || hidden(parent)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const around = cutter(parent);
      if (around && !parent.closest('[title]')) {
        const [text, frame] = [range.getBoundingClientRect(), around.getBoundingClientRect()];
        if (text.right > frame.right + 1 || text.left < frame.left - 1 || text.bottom > frame.bottom + 3)
          found.push(`text is cut: ${named(parent)}`);
      }
      if (around) {
        const { bottom } = around.getBoundingClientRect();
        const isHalved = [...range.getClientRects()].some((line) => line.top < bottom - 5 && line.bottom > bottom + 5);
        if (isHalved) found.push(`a line is cut in its middle: ${named(parent)}`);
      }
      if (parent.closest('pre, code, .long, [title], textarea')) continue;
      const figures =
        /(?<![\p{L}\d_@-])[-−]?\p{Sc}?\d[\d.,]{3,}\d(?![\p{L}\d_@-])(?:[\s ]?\p{Sc})?|^\p{Lu}\p{Ll}{2} \d\d?, \d{4}$/gu;
      for (const figure of content.matchAll(figures)) {
        range.setStart(node, figure.index);
        range.setEnd(node, figure.index + figure[0].length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(`a figure breaks in two: ${figure[0]} in ${named(parent)}`);
      }
    }

    for (const badge of document.querySelectorAll('.mantine-Badge-root')) {
      if (hidden(badge)) continue;
      const words = badge.querySelector('.mantine-Badge-label');
      if (!words?.textContent) found.push(`a state without words: ${named(badge)}`);
      else if (words.scrollWidth > words.clientWidth + 1) found.push(`the words of a state are cut: ${named(badge)}`);
    }

    const targets = 'button, a[href], input, select, textarea, [role="button"], [role="option"], [role="menuitem"]';
    for (const target of document.querySelectorAll(targets)) {
      if (hidden(target) || target.closest('.skip')) continue;
      // Boxes and switches have a label that is hit as well; a link in a sentence is as high as its line (WCAG 2.5.8).
      if (target.matches('input[type="checkbox"], input[type="radio"], input[type="file"], input[type="hidden"]'))
        continue;
      if (target.matches('a') && getComputedStyle(target).display === 'inline') continue;
      const { width, height } = target.getBoundingClientRect();
      if (width === 0) continue;
      if (width < touch - 0.5 || height < touch - 0.5)
        found.push(`a target of ${Math.round(width)} × ${Math.round(height)} pixels: ${named(target)}`);
    }
    return [...new Set(found)];
  }, measure);
