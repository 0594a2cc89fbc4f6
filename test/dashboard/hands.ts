import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { press, waitUntilIdle } from './app.ts';

/** How a person uses a page: by keyboard only, or by touch. */
export interface Hands {
  way: 'keyboard' | 'touch';
  /** How many keys were pressed, places tapped, and texts typed. */
  actions: number;
  use: (page: Page, control: Locator) => Promise<void>;
  /** Leads the focus to a field. */
  focus: (page: Page, field: Locator) => Promise<void>;
  /** Begins in a page's content: by keyboard over the link that skips the navigation. */
  begin: (page: Page) => Promise<void>;
  /** Chooses an option of an open list: by keyboard the first match. */
  choose: (page: Page, option: Locator) => Promise<void>;
  /** Presses a key that has a meaning of its own on the page. */
  press: (page: Page, key: string) => Promise<void>;
  /** Types into what has the focus. */
  type: (page: Page, text: string) => Promise<void>;
}

/** Tab to a control, and Enter. */
export const byKeyboard = (): Hands => {
  const hands: Hands = {
    way: 'keyboard',
    actions: 0,
    use: async (page, control) => {
      await hands.focus(page, control);
      hands.actions += 1;
      await press(page, 'Enter');
    },
    focus: async (page, field) => {
      await field.waitFor();
      await waitUntilIdle(page);
      await expect.poll(() => isFocusSettled(page)).toBe(true);
      hands.actions += await tabTo(page, field);
    },
    begin: async (page) => {
      hands.actions += 2;
      await press(page, 'Tab');
      await press(page, 'Enter');
    },
    choose: async (page) => {
      hands.actions += 1;
      await press(page, 'Enter');
    },
    press: async (page, key) => {
      hands.actions += 1;
      await press(page, key);
    },
    type: (page, text) => type(hands, page, text),
  };
  return hands;
};

export const byTouch = (): Hands => {
  const hands: Hands = {
    way: 'touch',
    actions: 0,
    use: async (page, control) => {
      await waitUntilIdle(page);
      await hands.focus(page, control);
    },
    focus: async (_page, field) => {
      hands.actions += 1;
      await field.tap();
    },
    begin: async () => {},
    choose: async (_page, option) => {
      hands.actions += 1;
      await option.tap();
    },
    press: async (page, key) => {
      hands.actions += 1;
      await press(page, key);
    },
    type: (page, text) => type(hands, page, text),
  };
  return hands;
};

/** A desktop with a keyboard, and a phone. */
export const ways: [way: string, take: () => Hands, options: object][] = [
  ['by keyboard on a desktop', byKeyboard, { viewport: { width: 1280, height: 900 } }],
  ['by touch on a phone', byTouch, { viewport: { width: 390, height: 844 }, hasTouch: true }],
];

async function type(hands: Hands, page: Page, text: string): Promise<void> {
  hands.actions += 1;
  await page.keyboard.type(text);
}

/**
 * Whether the focus stays where it is. A dialog that opens takes it, and gives it to its first field then: a Tab before that would go on
 * elsewhere, sooner than a person can press it.
 */
const isFocusSettled = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const before = document.activeElement;
    await new Promise((resolve) => setTimeout(resolve, 200));
    const dialog = document.querySelector('[role="dialog"]');
    return document.activeElement === before && (dialog === null || dialog.contains(before));
  });

/** Presses Tab until a control has the focus. @returns how often */
async function tabTo(page: Page, control: Locator): Promise<number> {
  const hasFocus = (): Promise<boolean> => control.evaluate((node) => node === document.activeElement);
  let presses = 0;
  for (; presses < 30 && !(await hasFocus()); presses++) await page.keyboard.press('Tab');
  expect(await hasFocus()).toBe(true);
  return presses;
}
