import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';

const script = fileURLToPath(new URL('german-texts.ts', import.meta.url));

type Translated = [english: string, german: string];

let texts: { warnings: string[]; laws: Translated[]; rules: Translated[] };
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  texts = JSON.parse(stdout) as typeof texts;
});

it('every warning of an invoice has a German text', () => {
  expect(texts.warnings.length).toBeGreaterThan(50);
  const isEnglish = /\b(the|has|needs|must|of|No\.|Directive)\b|\(\d+\)/i;
  expect(texts.warnings).not.toContainEqual(expect.stringMatching(isEnglish));
});

it('every law of a checklist has a German name', () => {
  expect(texts.laws.length).toBeGreaterThan(25);
  expect(texts.laws.filter(([english, german]) => german === english)).toEqual([]);
});

it('every rule of e-invoices has a German text', () => {
  expect(texts.rules.length).toBeGreaterThan(50);
  expect(texts.rules.filter(([english, german]) => german === english)).toEqual([]);
});
