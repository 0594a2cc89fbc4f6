import fc from 'fast-check';
import { Piscina } from 'piscina';
import { expect, it } from 'vitest';
import { loadTypesetter, type Typesetter } from '../../schema/documents/pdf/typesetter.ts';
import type { RenderWork } from '../../schema/documents/render-thread.ts';
import { makeSource } from './sources.ts';

// A thread has bounded memory. An issued document that needs more never gets its PDF, and no later document its proof.

it('a document of hundreds of pages takes little more memory than a short one', { timeout: 120_000 }, async () => {
  const thread = new Piscina({
    filename: new URL('../../schema/documents/render-thread.ts', import.meta.url).href,
    maxThreads: 1,
    resourceLimits: { maxOldGenerationSizeMb: 100 },
    execArgv: [],
  });
  try {
    const work: RenderWork = { source: makeSource(Array<string>(40).fill('a\n'.repeat(1000))), logo: null };
    const pdf = Buffer.from((await thread.run(work)) as Uint8Array).toString('latin1');
    expect(pdf.match(/\/Type \/Page\n/g)?.length).toBeGreaterThan(500);
  } finally {
    await thread.destroy();
  }
});

it.each([
  ['Chinese', '汉字编码标准的字符集合是很大', 5],
  ['Arabic', 'محمدسليمانعبداللهالرحمن', 7],
])('few lines of %s are set to find where each ends', async (_name, word, most) => {
  const text = word.repeat(50);
  const typesetter = await loadTypesetter(text);
  const layouts = countLayouts(typesetter);
  const lines = typesetter.wrap(text, {}, 30);
  expect(lines.map((line) => line.text).join('')).toBe(text);
  for (const line of lines) expect(line.width).toBeLessThanOrEqual(30);
  expect(layouts() / lines.length).toBeLessThan(most);
});

/** Counts from now on how often a font lays out more than some characters. */
function countLayouts(typesetter: Typesetter): () => number {
  let layouts = 0;
  for (const { font } of typesetter.faces) {
    const { layout } = font;
    font.layout = (...args) => {
      if ([...args[0]].length > 5) layouts += 1;
      return layout.apply(font, args);
    };
  }
  return () => layouts;
}

it('words that differ are not set one by one', async () => {
  const words = Array.from({ length: 2000 }, (_, index) => `Wörter${(index * 7919).toString(36)}`);
  const typesetter = await loadTypesetter();
  const layouts = countLayouts(typesetter);
  const lines = typesetter.wrap(words.join(' '), {}, 40);
  expect(lines.flatMap((line) => line.text.split(' '))).toEqual(words);
  expect(layouts() / lines.length).toBeLessThan(2.5);
});

it('no line of simple text is wider than it may be', async () => {
  const typesetter = await loadTypesetter();
  const text = fc.string({ unit: fc.constantFrom(...' AVTWLYfft.,;:-()/"\'1740->xäÄ'), minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(text, (each) => {
      for (const line of typesetter.wrap(each, {}, 12)) expect(line.width).toBeLessThanOrEqual(12);
    }),
    { numRuns: 200 },
  );
});
