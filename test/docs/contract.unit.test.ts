import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { statusByCode } from '../../rest-shim/router.ts';
import { routes } from '../../rest-shim/routes.ts';
import { eventTypes } from '../../schema/events/events.ts';
import { deliveryHeaders } from '../../src/webhooks/signature.ts';
import { description, operations } from '../openapi/description.ts';

// rest-shim/CONTRACT.md lists exactly the endpoints, filters, statuses, events, and headers of the code.

const text = readFileSync('rest-shim/CONTRACT.md', 'utf8');

/** The cells of the first table below a heading, by row. */
function tableOf(heading: string): string[][] {
  const part = text.slice(text.search(new RegExp(`^#+ ${heading}$`, 'm')));
  const [, rows = ''] = /^\|[-|]+\|\n((?:\|.*\n)+)/m.exec(part) ?? [];
  const cells = (row: string): string[] => row.split('|').slice(1, -1);
  return rows
    .split('\n')
    .filter(Boolean)
    .map((row) => cells(row).map((cell) => cell.trim()));
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

describe('rest-shim/CONTRACT.md', () => {
  it('has every endpoint, and no other', () => {
    const promised = tableOf('Paths').flatMap(([path, methods = '']) =>
      methods.split(', ').map((method) => `${method} ${quoted(path)[0]}`),
    );
    expect(promised).toEqual(routes.map(([method, path]) => `${method} ${path}`));
  });

  it('has every filter, and no other', () => {
    const notFilters = new Set(['page', 'per_page', 'cursor']);
    const described = operations(description()).flatMap(({ path, method, operation }) =>
      (operation.parameters ?? [])
        .filter((parameter) => method === 'get' && parameter.in === 'query' && !notFilters.has(parameter.name))
        .map(({ name }) => `${path.replace('{id}', ':id')} ${name}`),
    );
    const promised = tableOf('Paths').flatMap(([path, , filters]) =>
      quoted(filters).map((name) => `${quoted(path)[0]} ${name}`),
    );
    expect(promised.toSorted()).toEqual(described.toSorted());
  });

  it('has the status of every domain error', () => {
    const promised = tableOf('Statuses').map(([status]) => Number(status));
    expect(promised).toEqual(expect.arrayContaining(Object.values(statusByCode)));
  });

  it('has every event, and no other', () => {
    const promised = tableOf('Event names').flatMap(([names]) => quoted(names));
    expect(promised.toSorted()).toEqual([...eventTypes, 'webhook.ping'].toSorted());
  });

  it('has every header of a delivery, in the order they are sent', () => {
    const headers = deliveryHeaders({
      event: 'invoice.paid',
      deliveryId: '',
      attempt: 1,
      body: '',
      eventId: '',
      timestamp: 0,
      secrets: { document: '', standard: [''] },
    });
    const promised = tableOf('Delivery headers').flatMap(([names]) => quoted(names));
    expect(promised).toEqual(Object.keys(headers));
  });
});
