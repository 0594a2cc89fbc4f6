import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// Where the focus goes when its element is disabled or removed. The elements are added to a page of the dashboard, whose own
// ones come and go with data.

/** Adds this HTML to the page, beside what React renders. */
const add = (page: Page, html: string): Promise<void> =>
  page.evaluate((text) => document.querySelector('main')?.insertAdjacentHTML('beforeend', text), html);

const remove = (page: Page, id: string): Promise<void> =>
  page.evaluate((of) => document.getElementById(of)?.remove(), id);

const disable = (page: Page, id: string, disabled: boolean): Promise<boolean | undefined> =>
  page.evaluate(([of, is]) => document.getElementById(of)?.toggleAttribute('disabled', is), [id, disabled] as const);

/** The element that has the focus, once everything that follows from the last change is done. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        // The browser takes the focus from a disabled element when it paints.
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            const { activeElement: element } = document;
            resolve(element?.id || (element?.tagName.toLowerCase() ?? ''));
          }),
        );
      }),
  );

describe.skipIf(noBrowser)('the focus', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  const visit = async (steps: (page: Page) => Promise<void>): Promise<void> => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/customers');
      await add(page, '<button id="before">Before</button> <button id="one">One</button>');
      await page.locator('#before').focus();
      await page.locator('#one').focus();
      await steps(page);
    });
  };

  it('is lost by a disabled button until that is enabled again, which needs no key', () =>
    visit(async (page) => {
      await disable(page, 'one', true);
      expect(await focused(page)).toBe('body');
      await disable(page, 'one', false);
      expect(await focused(page)).toBe('one');
    }));

  it('is the heading’s when its element is removed, and nobody’s after a click beside everything', () =>
    visit(async (page) => {
      await remove(page, 'one');
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
      await page.locator('#before').focus();
      await page.mouse.click(5, 5);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await remove(page, 'before');
      expect(await focused(page)).toBe('body');
    }));

  it('goes from an element of a dialog to the one before, or to the dialog’s first field', () =>
    visit(async (page) => {
      const inside =
        '<input id="first" data-autofocus> <button id="next">Next</button> <button id="last">Last</button>';
      await add(page, `<div role="dialog" id="dialog">${inside}</div>`);
      await page.locator('#next').focus();
      await page.locator('#last').focus();
      await remove(page, 'last');
      expect(await focused(page)).toBe('next');
      await remove(page, 'next');
      expect(await focused(page)).toBe('first');
      await page.locator('#first').evaluate((field) => field.blur());
      // The page's own element has it again, when the dialog is gone.
      await remove(page, 'dialog');
      expect(await focused(page)).toBe('one');
    }));

  it('returns from an option of a menu to what opened it', () =>
    visit(async (page) => {
      await add(page, '<div role="menu" id="menu"><button id="option" role="menuitem">Option</button></div>');
      await page.locator('#option').focus();
      await remove(page, 'menu');
      expect(await focused(page)).toBe('one');
    }));
});
