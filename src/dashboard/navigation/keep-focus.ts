import { useEffect } from 'react';

/** An element that had the focus, and the dialog that it was in. */
interface Focused {
  element: HTMLElement;
  dialog: Element | null;
}

const remembered = 50;

/**
 * Gives the focus back where it is lost because the focused element was disabled or removed, as a button is that belongs to
 * an earlier state. A keyboard's next Tab would otherwise begin at the top of the page. The focus stays on the element once
 * it is enabled again. Where it is gone, the page's heading gets the focus, or in a dialog the element before.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let history: Focused[] = [];
    const listeners = new AbortController();
    const remember = ({ target }: FocusEvent): void => {
      // Menus and lists of options end with a choice. The focus then belongs to what opened them.
      if (!(target instanceof HTMLElement) || target.closest('[role="menu"], [role="listbox"]')) return;
      history = [...history, { element: target, dialog: target.closest('[role="dialog"]') }].slice(-remembered);
    };
    // A click beside everything takes the focus away on purpose.
    const forget = ({ target }: PointerEvent): void => {
      const dialog = target instanceof Element ? target.closest('[role="dialog"]') : null;
      history = history.filter((each) => each.dialog !== dialog);
    };
    document.addEventListener('focusin', remember, { signal: listeners.signal });
    document.addEventListener('pointerdown', forget, { signal: listeners.signal, capture: true });
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body) findLost(history)?.focus({ preventScroll: true });
    });
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] });
    return () => {
      listeners.abort();
      observer.disconnect();
    };
  }, []);
}

/** The element that should have the focus. A disabled one can't get it yet. */
function findLost(history: Focused[]): HTMLElement | null | undefined {
  const dialog = [...document.querySelectorAll('[role="dialog"]')].at(-1) ?? null;
  const focused = history.filter((each) => each.dialog === dialog).map(({ element }) => element);
  const last = focused.at(-1);
  if (!last || last.isConnected) return last;
  return dialog
    ? (focused.findLast(({ isConnected }) => isConnected) ?? dialog.querySelector<HTMLElement>('[data-autofocus]'))
    : document.querySelector<HTMLElement>('main h1[tabindex]');
}
