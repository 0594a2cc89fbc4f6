import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityViolations, launch, noBrowser } from './browser.ts';

// The search that the tests of pages rely on finds what it should, also one element among many that look alike.

const lines = (style = '', count = 40): string => `<p style="${style}">A line</p>`.repeat(count);
const around = (body: string): string =>
  `<html lang="en"><title>A page</title><body style="color: #111; background: #fff"><main><h1>A page</h1>${body}</main></body></html>`;

describe.skipIf(noBrowser)('the search for what is not accessible', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launch();
    page = await browser.newPage();
  });
  afterAll(() => browser?.close());

  const find = async (body: string, options?: { onlyColors: boolean }): Promise<string[]> => {
    await page.setContent(around(body));
    return (await accessibilityViolations(page, options)).map((found) => found.split(' ', 1)[0] ?? '');
  };

  it('finds nothing in a page that is accessible', async () => {
    expect(await find(lines() + lines('color: #fff; background: #222'))).toEqual([]);
  });

  it.each([
    ['a color', `${lines()}<p style="color: #aaa">pale</p>`],
    ['a background', `${lines()}<p style="background: #444">dark</p>`],
    ['a background further out', `${lines()}<div style="background: #444"><div><p>dark</p></div></div>`],
    ['an opacity further out', `${lines()}<div style="opacity: 0.3"><div><p>pale</p></div></div>`],
    ['a size', `${lines('color: #888; font-size: 30px')}<p style="color: #888; font-size: 12px">small</p>`],
    [
      'what is disabled beside',
      `<button disabled style="color: #aaa">Save</button><button style="color: #aaa">Send</button>`,
    ],
    [
      'a sibling behind it',
      `${'<p style="position: relative">A line</p>'.repeat(40)}<div style="position: relative">
       <div style="position: absolute; inset: 0; background: #444"></div><p style="position: relative">over it</p></div>`,
    ],
    ['a field', `<label>Name <input value="x" style="color: #bbb; background: #fff"></label>`],
  ])('finds the only element that differs by %s', async (_, body) => {
    for (const onlyColors of [false, true]) expect(await find(body, { onlyColors })).toEqual(['color-contrast']);
  });

  it('looks again at a page that has changed', async () => {
    expect(await find(lines())).toEqual([]);
    await page
      .locator('p')
      .last()
      .evaluate((line) => (line.style.color = '#aaa'));
    expect(await accessibilityViolations(page, { onlyColors: true })).toHaveLength(1);
  });

  it('finds what does not depend on colors', async () => {
    expect(await find('<img src="data:,"><button></button>')).toEqual(['button-name', 'image-alt']);
  });
});
