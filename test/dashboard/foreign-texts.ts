import type { Page } from 'playwright-core';
import german from '../../src/dashboard/i18n/de.json' with { type: 'json' };

/** English texts of which there is another German one. */
const translated = Object.entries(german).flatMap(([key, text]) => {
  const english = key.replace(/^api: /, '');
  return english === text ? [] : [english];
});
const germanTexts = new Set<string>(Object.values(german));
const english = new Set(translated.filter((text) => !germanTexts.has(text)));

/** Words that English sentences, and keys, have, and German ones don't. */
const englishWords = /\b(?:the|of|and|with|your|is|are|not|to|for|by|Ctrl)\b/;

/** English that German pages have, each with its reason. */
const allowed: readonly [text: RegExp, reason: string][] = [
  [/^English$/, 'languages are named in themselves'],
  [/^[a-z-]+(?:\.[a-z_]+)+$/, 'names of events and of fields, as programs have them'],
  [/: Outside the scope of VAT\.$/, 'what an English invoice says'],
  [/^Isle of Man$/, 'Germans call it so, too'],
  [/^[a-z-]+:(?:read|write)$/, 'names of abilities, as programs have them'],
];

/** The texts on a page that are English: what is shown, what screen readers say, and what is shown when pointed at. */
export async function findEnglish(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found = new Set([document.title]);
    const skipped = 'script, style, noscript, code, pre, [data-code]';
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement?.closest(skipped)) found.add(node.textContent ?? '');
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [alt], [aria-description]'))
      for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'aria-description'])
        found.add(element.getAttribute(name) ?? '');
    return [...found];
  });
  return texts
    .map((text) => text.trim())
    .filter(
      (text) =>
        (english.has(text) || englishWords.test(text) || /\{\w+\}/.test(text)) &&
        !allowed.some(([pattern]) => pattern.test(text)),
    );
}
