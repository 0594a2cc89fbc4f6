import { useEffect, type RefObject } from 'react';

/** Mantine's focus trap gives the first focus to an element with this attribute. */
const attribute = 'data-autofocus';

const isEnabled = 'not(:disabled, [type="hidden"])';
const inOrder = [
  `[${attribute}]`,
  `:is(input[type="radio"]:checked, input:not([type="radio"]), select, textarea):${isEnabled}`,
  `[type="submit"]:${isEnabled}`,
  `button:${isEnabled}`,
];

function findFirst(content: HTMLElement): HTMLElement | null {
  for (const selector of inOrder) {
    const element = content.querySelector<HTMLElement>(selector);
    if (element) return element;
  }
  return null;
}

/**
 * Gives the first focus of a dialog to what is marked for it, else to its first field, else to its main action. Otherwise its
 * close button, which comes first, would get it. Content that is still loading gets the focus when it is there.
 * @param content without the dialog's header
 */
export function useInitialFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = content.current;
    if (!element) return undefined;
    const first = findFirst(element);
    if (first) {
      first.setAttribute(attribute, '');
      return undefined;
    }
    element.setAttribute(attribute, '');
    const observer = new MutationObserver(() => {
      const found = element.querySelector<HTMLElement>(inOrder.slice(0, -1).join(', ')) && findFirst(element);
      if (!found) return;
      stop();
      if (document.activeElement === element || document.activeElement === document.body) found.focus();
    });
    const stop = (): void => {
      observer.disconnect();
      element.removeAttribute(attribute);
    };
    observer.observe(element, { childList: true, subtree: true });
    return stop;
  }, [content]);
}
