import { useEffect, useRef, type KeyboardEvent } from 'react';

/** The shown options of a select; null while they are not there. */
const findOptions = (input: HTMLInputElement): HTMLElement | null =>
  document.getElementById(input.getAttribute('aria-controls') ?? '');

const clickFirst = (options: HTMLElement | null): void =>
  options?.querySelector<HTMLElement>('[data-combobox-option]')?.click();

/** Whether a key takes an option. With Control or Command, Enter is a key of the form. */
const isEnter = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => key === 'Enter' && !ctrlKey && !metaKey;

/** Enter in an open list never sends the form. */
function keepForm(event: KeyboardEvent<HTMLInputElement>): void {
  if (isEnter(event) && event.currentTarget.getAttribute('aria-expanded') === 'true') event.preventDefault();
}

/** Enter takes the first match of a select that searches its own options. Listens before Mantine does. */
export function takeFirstMatch(event: KeyboardEvent<HTMLInputElement>): void {
  const { readOnly, value } = event.currentTarget;
  keepForm(event);
  if (!isEnter(event) || event.nativeEvent.isComposing || readOnly || value.trim() === '') return;
  const options = findOptions(event.currentTarget);
  // One that was reached by arrow keys is Mantine's to take.
  if (!options || options.querySelector('[data-combobox-selected]')) return;
  // The field shows the chosen option's name, which is no search.
  if (options.querySelector('[data-combobox-active]')?.textContent === value) return;
  event.preventDefault();
  event.stopPropagation(); // see useFirstMatch()
  clickFirst(options);
}

/**
 * Enter takes the first match of a select whose options the server searches: at once, or as soon as it has answered.
 * @param isSearch whether the typed text is a search
 * @param isCurrent whether the shown options are those for the typed text
 * @returns props of the select
 */
export function useFirstMatch(isSearch: boolean, isCurrent: boolean) {
  /** The field in which Enter was pressed before its list had the matches. After quick typing there is not even a list. */
  const awaitedIn = useRef<HTMLInputElement>(undefined);
  /** Whether an option was reached by arrow keys, which is Mantine's to take. Mantine also marks the one chosen before. */
  const isByArrows = useRef(false);
  useEffect(() => {
    if (awaitedIn.current === undefined || !isCurrent) return;
    clickFirst(findOptions(awaitedIn.current));
    awaitedIn.current = undefined;
  }, [isCurrent]);
  const onKeyDownCapture = (event: KeyboardEvent<HTMLInputElement>): void => {
    awaitedIn.current = undefined;
    keepForm(event);
    if (!isEnter(event)) {
      isByArrows.current = event.key === 'ArrowDown' || event.key === 'ArrowUp';
      return;
    }
    if (!isSearch || isByArrows.current || event.nativeEvent.isComposing) return;
    event.preventDefault();
    // Mantine would take the option at the place of that chosen before, in a list that has just opened.
    event.stopPropagation();
    if (isCurrent) clickFirst(findOptions(event.currentTarget));
    else awaitedIn.current = event.currentTarget;
  };
  const onBlur = (): void => {
    awaitedIn.current = undefined;
  };
  return { onKeyDownCapture, onBlur };
}
