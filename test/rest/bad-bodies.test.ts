import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields, having } from './samples.ts';
import { bodyEndpoints, type BodyEndpoint } from '../resources.ts';

// Any body gets a documented answer with a helpful message, and is written as a whole or not at all.

let service: Service;
let acme: Integrator;
let endpoints: BodyEndpoint[];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  endpoints = await bodyEndpoints(acme);
});
afterAll(() => service.close());
afterEach(() => sample.expectNoInternalError(service));

const rows = () => sample.rows(service);

/** Sends the JSON text `part` to every endpoint and checks the answers. A rejected request must have written nothing. */
async function everywhere(text: (body: object) => string, look: (answer: Answer, at: string) => void): Promise<void> {
  for (const [method, path, body] of endpoints) {
    const before = await rows();
    const answer = await acme.rest(method, path, text(body));
    look(answer, `${method} ${path}`);
    expect(answer.text).not.toMatch(/node_modules|\.ts:\d|prisma|postgres|graphql/i);
    if (answer.status >= 300) expect(await rows()).toEqual(before);
  }
}

const refused = (answer: Answer): void => {
  expect(invalidFields(answer)).not.toEqual([]);
};

/** A body with one more field, as text: an object literal can't have `__proto__` as a field. */
const andField = (body: object, name: string, value: string): string =>
  `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(name)}:${value}}`;

describe('a body that is not a JSON object is answered 422', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \n\t'],
    ['words', 'hello'],
    ['null', 'null'],
    ['true', 'true'],
    ['a number', '1'],
    ['a string', '"{}"'],
    ['an array', '[]'],
    ['an array of objects', '[{}]'],
    ['an end too early', '{"type":"customer"'],
    ['something behind it', '{} {}'],
    ['single quotes', "{'type':'customer'}"],
    ['a trailing comma', '{"type":"customer",}'],
    ['NaN', '{"quantity":NaN}'],
    ['Infinity', '{"quantity":-Infinity}'],
    ['a leading zero', '{"quantity":01}'],
    ['a raw NUL', '{"city":"\0"}'],
    ['a form', 'type=customer&company_name=x'],
    ['XML', '<?xml version="1.0"?><a/>'],
    ['arrays, 500,000 deep', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['objects, 150,000 deep', '{"a":'.repeat(150_000) + '}'.repeat(150_000)],
    ['arrays without an end', '['.repeat(1_000_000)],
  ])('%s', async (_name, text) => {
    await everywhere(() => text, refused);
  });

  it('invalid UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x9f]]) {
      const body = Buffer.concat([Buffer.from('{"city":"'), Buffer.from(bytes), Buffer.from('"}')]);
      for (const [method, path] of endpoints) {
        const headers = { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' };
        const response = await fetch(`${service.url}/api/v1${path}`, { method, headers, body });
        expect([path, response.status, Object.keys(((await response.json()) as Answer['body']).errors).length]).toEqual(
          [path, 422, 1],
        );
      }
    }
  });
});

describe('fields', () => {
  const unknown = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'input',
    'first',
    'offset',
    'body',
  ];

  it.each([...unknown, 'companyName', 'tenant_id', 'Type', 'type ', '', 'a.b', '🦆', 'x'.repeat(1000)])(
    'an unknown one is named: %s',
    async (name) => {
      const null_ = name === 'input' ? '{"type":"customer"}' : 'null';
      await everywhere(
        (body) => andField(body, name, null_),
        (answer, at) => expect([at, invalidFields(answer)]).toEqual([at, [name]]),
      );
    },
  );

  it('the resource’s response-only fields are ignored', async () => {
    const junk = { id: 5, created_at: 'never', updated_at: [], tracked_minutes: {} };
    const { id } = await create(acme, '/projects', { ...sample.project, ...junk });
    expect(id).toEqual(sample.anId);
    expect((await acme.rest('PATCH', `/projects/${id}`, junk)).body.data).toMatchObject({ id, tracked_minutes: 0 });
    // For another resource they are unknown fields.
    expect(invalidFields(await acme.rest('POST', '/customers', { ...sample.customer, tracked_minutes: 1 }))).toEqual([
      'tracked_minutes',
    ]);
  });

  it('sent twice have the last value', async () => {
    const { status, body } = await acme.rest(
      'POST',
      '/customers',
      andField(sample.customer, 'company_name', '"Zweite"'),
    );
    expect([status, body.data.company_name]).toEqual([201, 'Zweite']);
    expect(
      invalidFields(await acme.rest('POST', '/customers', andField(sample.customer, 'company_name', 'null'))),
    ).toEqual(['company_name']);
  });

  it('are named in the error, up to 100 of 5,000 unknown ones', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field_${index}`, index]));
    expect(invalidFields(await acme.rest('POST', '/customers', { ...sample.customer, ...many }))).toHaveLength(100);
  });

  it.each(['0', '{}', '[]', '{"a":1}', '{"title":null}', '"x"'])(
    'of a megabyte of invalid items are answered 422, with a bounded length: [%s, …]',
    async (item) => {
      const items = `[${Array.from({ length: Math.floor(1_000_000 / (item.length + 1)) }, () => item).join()}]`;
      const body = having(sample.invoice(sample.unknownId), 'items', 0);
      const answer = await acme.rest(
        'POST',
        '/invoices',
        JSON.stringify(body).replace('"items":0', `"items":${items}`),
      );
      const fields = invalidFields(answer);
      expect(fields.filter((field) => /^items\b/.test(field))).not.toEqual([]);
      if (fields.length < 100) expect(fields).toContain('items');
      expect(answer.text.length).toBeLessThan(20_000);
    },
  );
});
