import { useEffect, useRef, type KeyboardEvent } from 'react';

const clickFirst = (listId: string): void =>
  document.getElementById(listId)?.querySelector<HTMLElement>('[data-combobox-option]')?.click();

/** The shown options of a select; null if there are none, or one was chosen by arrow keys, which is Mantine's to take. */
function findOptions(input: HTMLInputElement): HTMLElement | null {
  const list = document.getElementById(input.getAttribute('aria-controls') ?? '');
  return list?.querySelector('[data-combobox-selected]') ? null : list;
}

/** Enter takes the first match of a select that searches its own options. */
export function takeFirstMatch(event: KeyboardEvent<HTMLInputElement>): void {
  const { readOnly, value } = event.currentTarget;
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || readOnly || value.trim() === '') return;
  const options = findOptions(event.currentTarget);
  // The field shows the chosen option's name, which is no search.
  if (!options || options.querySelector('[data-combobox-active]')?.textContent === value) return;
  event.preventDefault();
  clickFirst(options.id);
}

/**
 * Enter takes the first match of a select whose options the server searches: at once, or as soon as it has answered.
 * @param isSearch whether the typed text is a search
 * @param isCurrent whether the shown options are those for the typed text
 * @returns props of the select
 */
export function useFirstMatch(isSearch: boolean, isCurrent: boolean) {
  /** The id of the list in which Enter was pressed before it had the matches. */
  const awaitedIn = useRef<string>(undefined);
  useEffect(() => {
    if (awaitedIn.current === undefined || !isCurrent) return;
    clickFirst(awaitedIn.current);
    awaitedIn.current = undefined;
  }, [isCurrent]);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    awaitedIn.current = undefined;
    if (event.key !== 'Enter') return;
    const options = findOptions(event.currentTarget);
    if (!isSearch || !options || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (isCurrent) clickFirst(options.id);
    else awaitedIn.current = options.id;
  };
  const onBlur = (): void => {
    awaitedIn.current = undefined;
  };
  return { onKeyDown, onBlur };
}
