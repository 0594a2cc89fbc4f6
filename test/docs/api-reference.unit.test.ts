import { describe, expect, it } from 'vitest';
import { buildApiReference } from '../../src/pages/api-reference.ts';
import { description, operations, type Schema } from '../openapi/description.ts';

// The API reference has everything that the OpenAPI description has.

const api = description();
const pages = buildApiReference();
const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (api.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});

/** The part of the reference about one operation. */
function partOf(path: string, method: string): string {
  const line = `**\`${method.toUpperCase()} ${path}\`**`;
  const parts = pages.flatMap(({ text }) => text.split(/^(?=## )/m)).filter((part) => part.includes(line));
  expect([line, parts.length]).toEqual([line, 1]);
  return parts[0] ?? '';
}

describe.each(operations(api).map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint })))(
  '$name',
  ({ endpoint: { path, method, operation } }) => {
    it('has its parameters, fields, abilities, answers, and a request', () => {
      const part = partOf(path, method);
      expect(part).toMatch(`## ${operation.summary}\n`);
      const parameters = (operation.parameters ?? []).map(({ $ref, name }) => ($ref === undefined ? name : 'id'));
      const body = resolve(operation.requestBody?.content['application/json']?.schema ?? {});
      const fields = Object.entries(body.properties ?? {}).filter(([, { readOnly }]) => !readOnly);
      for (const name of [...parameters, ...fields.map(([field]) => field)]) expect(part).toContain(`| \`${name}\` | `);
      for (const name of body.required ?? []) expect(part).toMatch(new RegExp(`\\| \`${name}\` \\| [^|]*, required`));
      for (const ability of operation['x-abilities'] ?? []) expect(part).toContain(`\`${ability}\``);
      for (const status of Object.keys(operation.responses)) expect(part).toMatch(new RegExp(`\\b${status}\\b`));
      expect(part).toContain('curl -s');
      expect(part).not.toMatch(/undefined|\[object|__ORIGIN__/);
    });
  },
);

it('shows each object that answers have, with every field', () => {
  for (const { path, operation } of operations(api)) {
    const content = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
    const data = resolve(content?.[1].content?.['application/json']?.schema ?? {}).properties?.['data'];
    const object = resolve(data?.items ?? data ?? {});
    const page = pages.find(({ slug }) => slug === `api-${path.split('/')[1]}`)?.text;
    for (const name of Object.keys(object.properties ?? {})) expect(page).toContain(`| \`${name}\` | `);
  }
});

it('keeps cells in their tables: a line has as many bars as its head', () => {
  for (const { text } of pages) {
    const tables = text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/(?:^\|.*\|$\n?)+/gm);
    for (const [table] of tables) {
      const widths = table
        .trim()
        .split('\n')
        .map((line) => line.replaceAll('\\|', '').split('|').length);
      expect(new Set(widths).size).toBe(1);
    }
  }
});
