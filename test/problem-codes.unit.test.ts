import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Problems } from '../schema/errors/errors.ts';
import { problemCodes } from '../schema/errors/problem-codes.ts';
import { buildErrorCodes } from '../src/pages/error-codes.ts';

const codes = Object.keys(problemCodes);
const sources = globSync(['schema/**/*.ts', 'rest-shim/**/*.ts', 'src/{identity,security,server}/**/*.ts'])
  .filter((file) => file !== 'schema/errors/problem-codes.ts')
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

describe('each code of a problem', () => {
  it('is in snake case', () => {
    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });

  it('is given by some source', () => {
    const all = sources.map(({ text }) => text).join('\n');
    expect(codes.filter((code) => !all.includes(`'${code}',`))).toEqual([]);
  });

  it('is explained by the page, with its parameters', () => {
    const rows = buildErrorCodes()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.map((row) => /^\| `(\w+)` \|/.exec(row)?.[1])).toEqual(['code', ...codes]);
    for (const [code, row] of Object.entries(problemCodes)) {
      const shown = rows.find((line) => line.startsWith(`| \`${code}\``));
      expect(row.explanation).toMatch(/^[A-Z].*\.$/);
      expect(shown).toContain(row.explanation);
      for (const name of Object.keys('params' in row ? row.params : {})) expect(shown).toContain(`\`${name}\`: `);
    }
  });
});

it('each validator of the domain says its code, by refusal()', () => {
  // zod would take a sentence alone.
  const checks = sources
    .filter(({ file }) => file.startsWith('schema/'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/\.(?:refine|addIssue)\((?=(.{0,250}))/gs)].map(([, check = '']) => ({ file, check })),
    );
  expect(checks.length).toBeGreaterThan(20);
  const withoutCode = checks.filter(({ check }) => !/refusal\(/.test(check.split(/\n {2,4}\.|\n\n|;\n/)[0] ?? ''));
  expect(withoutCode.map(({ file }) => file)).toEqual(['schema/changes/change-cursor.ts']); // of a cursor's text
});

it('problems that are looked up are in the order of their rules, however long each takes', async () => {
  const problems = new Problems();
  const look = (ms: number, path: string) => async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    problems.add(path, 'not_found', 'There is none.');
  };
  problems.defer(look(20, 'first'));
  problems.defer(async () => {
    await look(1, 'second')();
    problems.defer(look(1, 'fourth'));
  });
  problems.defer(look(1, 'third'));
  await problems.runDeferred();
  expect(Object.keys(problems.errors)).toEqual(['first', 'second', 'third', 'fourth']);
});
