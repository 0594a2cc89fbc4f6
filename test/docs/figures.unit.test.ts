import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { maxBodyBytes } from '../../rest-shim/request-body.ts';
import { routes } from '../../rest-shim/routes.ts';
import { grantable } from '../../schema/graphql/ability.ts';
import { eventTypes } from '../../schema/events/events.ts';
import { limits } from '../../src/server/graphql/document-limits.ts';
import { maxUpload } from '../../src/server/http/multipart.ts';
import { figures, withFigures } from '../../src/pages/figures.ts';
import { readGuides } from '../../src/pages/guides.ts';
import { withTables } from '../../src/pages/tables.ts';

/** Limits of what an answer reports, not of what a request may ask for. */
const reported = new Set(['maxImportErrors', 'maxWarnings']);

const folder = new URL('../../src/pages/guides/', import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));

// Numbers that are no figures of the code: HTTP statuses, standards, versions of Node, a year, list numbers, and 1.
const noFigures = [
  /\b[2-5]\d\d\b/g,
  /\b2xx\b/g,
  /SHA256/g,
  /CAMT\.053|MT940|Z3/g,
  /REST v1/g,
  /ISO \d+/g,
  /since 1970/g,
  /Node \d+(\.\d+)?/g,
  /^\d+\. /gm,
  /\b1\b/g,
];

/** A guide's prose: without its examples, its code, its links, and its placeholders. */
const prose = (text: string): string =>
  [/^```[^]*?^```$/gm, /`[^`\n]*`/g, /\{\{[\w.:]+\}\}/g, /\]\([^)]*\)/g].reduce(
    (rest, part) => rest.replaceAll(part, ''),
    text,
  );

describe('tables in guides come from the code', () => {
  const textOf = (wanted: string): string => readGuides().find(({ slug }) => slug === wanted)!.text;

  it('/docs/webhooks has every event', () => {
    const text = textOf('webhooks');
    expect([...eventTypes, 'webhook.ping'].filter((type) => !text.includes(`| \`${type}\` |`))).toEqual([]);
  });

  it('/docs/authentication has every ability', () => {
    const text = textOf('authentication');
    expect(grantable.filter((ability) => !text.includes(`\`${ability}\``))).toEqual([]);
  });

  it('/docs/graphql has every transition of REST', () => {
    const text = textOf('graphql');
    const transitions = routes.filter(([method, path]) => method === 'POST' && path.includes('/:id/'));
    expect(transitions.filter(([, path]) => !text.includes(path.replace(':id', '{id}')))).toEqual([]);
  });

  it('/docs/limits has every limit of GraphQL documents', () => {
    const rows = textOf('limits').split('\n| --- | --- | --- |\n')[1]!.split('\n\n')[0]!.split('\n');
    expect(rows).toHaveLength(Object.keys(limits).length);
  });
});

describe('figures in guides come from the code', () => {
  it.each(sources)('$name has no literal figure', ({ name, text }) => {
    // The table of limits names no HTTP status: 500 is a figure there.
    const allowed = name === 'limits.md' ? noFigures.slice(1) : noFigures;
    const rest = allowed.reduce((left, pattern) => left.replaceAll(pattern, ''), prose(text));
    expect(rest.match(/^.*\d.*$/gm) ?? []).toEqual([]);
  });

  it.each(sources)('$name has no unknown placeholder, and no literal rate limit in an example', ({ text }) => {
    expect(withFigures(withTables(text))).not.toMatch(/\{\{/);
    expect(text).not.toMatch(/seq \d|RateLimit-\w+: [1-9]/);
  });

  it('/docs/limits has the enforced limits', () => {
    const page = readGuides().find(({ slug }) => slug === 'limits')!.text;
    for (const [what, figure] of [
      ['fields within fields', `${limits.depth}`],
      ['a request’s body, uploads apart'.replace('’', "'"), `${maxBodyBytes / 1024 / 1024} MiB`],
      ['a bank statement', `${maxUpload / 1024 / 1024} MiB`],
    ]) {
      expect(page).toContain(`| ${what} | ${figure} |`);
    }
  });

  it('/docs/limits has every limit that a guide names', () => {
    const text = withTables(sources.find(({ name }) => name === 'limits.md')!.text);
    const named = Object.keys(figures).filter((name) => name.startsWith('max') && !reported.has(name));
    expect(named.filter((name) => !text.includes(`{{${name}}}`))).toEqual([]);
  });

  it('an unknown placeholder is an error', () => {
    expect(() => withTables('{{table:noSuchTable}}')).toThrow('noSuchTable');
    expect(() => withFigures('{{noSuchFigure}}')).toThrow('noSuchFigure');
    expect(Object.values(figures)).not.toContain('NaN');
  });
});
