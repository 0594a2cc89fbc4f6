import { getHotkeyHandler, useWindowEvent } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/** The group in which a shortcut is listed. */
export type ShortcutGroup = 'EVERYWHERE' | 'GO_TO' | 'LIST';

export interface Shortcut {
  /** Each does the same: `j`, `ArrowDown`, `mod+K`; `g i` is one key after the other. Signs such as `?` need no Shift here. */
  keys: readonly string[];
  label: string;
  group: ShortcutGroup;
  /** @returns false if it does nothing here, so that the key keeps its usual effect */
  run: (event: KeyboardEvent) => boolean | void;
}

interface Options {
  /** Whether a page may use the same keys for something else. */
  isDefault?: boolean;
}

interface Registration {
  shortcuts: readonly Shortcut[];
}

/** Of several for the same keys, the first is the one that works. */
export const registrations: Registration[] = [];

/** Registers shortcuts while the component is mounted. They are listed under `?`. Those of a page win over those of its parts. */
export function useShortcuts(shortcuts: readonly Shortcut[], { isDefault = false }: Options = {}): void {
  const registration = useRef<Registration>({ shortcuts });
  useEffect(() => {
    registration.current.shortcuts = shortcuts;
  });
  useEffect(() => {
    const { current } = registration;
    if (isDefault) registrations.push(current);
    else registrations.unshift(current);
    return () => void registrations.splice(registrations.indexOf(current), 1);
  }, [isDefault]);
}

/** Where it is kept that shortcuts of a single character are off: speech input and slips trigger them (WCAG 2.1.4). */
export const singleKeysStorage = 'kontor-single-keys';

// Without a library's function: every page loads this.
const areSingleKeysOn = (): boolean => localStorage.getItem(singleKeysStorage) !== 'false';

const isCharacter = (step: string): boolean => /^(?:shift\+)?.$/.test(step);
const isSign = (step: string): boolean => step.length === 1 && step.toLowerCase() === step.toUpperCase();

function isPressed(step: string, event: KeyboardEvent): boolean {
  let isIt = false;
  // Keyboards differ in which signs need Shift.
  const hotkeys = isSign(step) ? [step, `shift+${step}`] : [step];
  for (const hotkey of hotkeys) getHotkeyHandler([[hotkey, () => (isIt = true), { preventDefault: false }]])(event);
  return isIt;
}

const typing = 'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable]';
const dialogs = '[role="dialog"]';
const over = `${dialogs}, [role="menu"], [role="listbox"]`;

/** Whether a key belongs to a field. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest(typing) !== null;

/** Whether a key belongs to a dialog or a menu. Its Escape has closed it already. */
const isOver = ({ target }: KeyboardEvent, selector: string): boolean =>
  (target instanceof Element && target.closest(selector) !== null) ||
  [...document.querySelectorAll(selector)].some((element) => element.checkVisibility());

/** Whether a shortcut may begin with this key now. Those with Ctrl work in fields as well. */
function mayBegin(step: string, event: KeyboardEvent): boolean {
  if (step.startsWith('mod+')) return !isOver(event, dialogs);
  return !isTyping(event) && !isOver(event, over) && (!isCharacter(step) || areSingleKeysOn());
}

/** The time for the second of two keys, in milliseconds. */
const patience = 2000;

/** Runs the shortcuts that are registered. */
export function useShortcutKeys(): void {
  const first = useRef({ step: '', at: 0 });
  useWindowEvent('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const before = event.timeStamp - first.current.at < patience ? first.current.step : '';
    let begun = '';
    for (const { keys, run } of registrations.flatMap(({ shortcuts }) => shortcuts)) {
      for (const each of keys) {
        const [step = '', second] = each.split(' ');
        if (second === undefined || before === step) {
          // The second key of two is no shortcut of its own.
          if (second === undefined && before !== '') continue;
          if (!isPressed(second ?? step, event) || !mayBegin(step, event) || run(event) === false) continue;
          event.preventDefault();
          first.current = { step: '', at: 0 };
          return;
        }
        if (isPressed(step, event) && mayBegin(step, event)) begun = step;
      }
    }
    if (!['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) first.current = { step: begun, at: event.timeStamp };
  });
}
