import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { maxBodyBytes } from '../../rest-shim/request-body.ts';
import { limits } from '../../src/graphql/document-limits.ts';
import { maxUpload } from '../../src/http/multipart.ts';
import { figures, withFigures } from '../../src/pages/figures.ts';
import { readGuides } from '../../src/pages/guides.ts';

const folder = new URL('../../src/pages/guides/', import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));

// Numbers that are no figures of the code: HTTP statuses, standards, a year, list numbers, and 1.
const noFigures = [
  /\b[2-5]\d\d\b/g,
  /\b2xx\b/g,
  /SHA256/g,
  /REST v1/g,
  /ISO \d+/g,
  /since 1970/g,
  /^\d+\. /gm,
  /\b1\b/g,
];

/** A guide's prose: without its examples, its code, its links, and its placeholders. */
const prose = (text: string): string =>
  [/^```[^]*?^```$/gm, /`[^`\n]*`/g, /\{\{[\w.]+\}\}/g, /\]\([^)]*\)/g].reduce(
    (rest, part) => rest.replaceAll(part, ''),
    text,
  );

describe('figures in guides come from the code', () => {
  it.each(sources)('$name has no literal figure', ({ name, text }) => {
    // The table of limits names no HTTP status: 500 is a figure there.
    const allowed = name === 'limits.md' ? noFigures.slice(1) : noFigures;
    const rest = allowed.reduce((left, pattern) => left.replaceAll(pattern, ''), prose(text));
    expect(rest.match(/^.*\d.*$/gm) ?? []).toEqual([]);
  });

  it.each(sources)('$name has no unknown placeholder, and no literal rate limit in an example', ({ text }) => {
    expect(withFigures(text)).not.toMatch(/\{\{/);
    expect(text).not.toMatch(/seq \d|RateLimit-\w+: [1-9]/);
  });

  it('/docs/limits has the enforced limits', () => {
    const page = readGuides().find(({ slug }) => slug === 'limits')!.text;
    for (const [what, figure] of [
      ['depth of a GraphQL document, and its fields', `${limits.depth}, ${limits.breadth}`],
      ['a request’s body, uploads apart'.replace('’', "'"), `${maxBodyBytes / 1024 / 1024} MiB`],
      ['a bank statement', `${maxUpload / 1024 / 1024} MiB`],
    ]) {
      expect(page).toContain(`| ${what} | ${figure} |`);
    }
  });

  it('an unknown placeholder is an error', () => {
    expect(() => withFigures('{{noSuchFigure}}')).toThrow('noSuchFigure');
    expect(Object.values(figures)).not.toContain('NaN');
  });
});
