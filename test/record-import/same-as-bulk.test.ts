import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { work } from '../webhooks/receiver.ts';
import { doInBulk } from '../bulk/operations.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { uploadRecords } from './records.ts';

// Records as a CSV file, beside the same as lines of a bulk operation of another tenant.

let service: Service;
let worker: Worker;
beforeAll(async () => {
  service = await startService();
  worker = await work(service);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
});

type Json = Record<string, unknown>;
type Line = Record<string, string>;

/** Mostly valid texts; empty is none. */
const cell = (valid: string[], ...invalid: string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...valid) },
    { weight: invalid.length > 0 ? 1 : 0, arbitrary: fc.constantFrom('', ...invalid) },
  );
const kinds = {
  Customer: {
    resource: 'customers',
    line: fc.record({
      type: cell(['customer', 'supplier'], 'nobody'),
      company_name: cell(['A', '"B"; C', 'Ä\nÖ'], ' '),
      email: cell(['', 'a@firma.example'], 'no address'),
      city: cell(['', 'Kiel'], 'x'.repeat(256)),
      country: cell(['', 'DE', 'FR'], 'XX'),
      vat_id: cell(['', 'DE123456789'], 'x'.repeat(33)),
      electronic_address: cell(['04:1'], ' '),
      electronic_address_scheme: cell(['0204', 'EM'], '1'),
      language: cell(['', 'de'], 'fr'),
      payment_terms_days: cell(['', '0', '30'], '366'),
    }),
  },
  Project: {
    resource: 'projects',
    line: fc.record({
      name: cell(['A', 'B', 'C'], ' '),
      description: cell(['', 'one\ntwo']),
      status: cell(['', 'active', 'completed'], 'gone'),
      hourly_rate_net: cell(['', '85', '85.1250'], '-1', '1.23456'),
      currency: cell(['', 'EUR', 'JPY'], 'XXQ'),
      budget_hours: cell(['', '10', '0'], 'ten'),
      start_date: cell(['', '2026-03-01'], '2026-02-31'),
      end_date: cell(['', '2026-04-01'], '2026-02-01'),
    }),
  },
} as const;

const toCamel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const toCsv = (lines: readonly Line[]): string =>
  [Object.keys(lines[0] ?? {}), ...lines.map((line) => Object.values(line))]
    .map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
    .join('\n');
/** JSON has no text for what isn't there, and numbers for what is one. */
const toBody = (line: Line): Json =>
  Object.fromEntries(
    Object.entries(line).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, name === 'payment_terms_days' ? Number(text) : text]],
    ),
  );

async function readRows({ rest }: Integrator, resource: string): Promise<unknown> {
  const rows = (await rest('GET', `/${resource}?per_page=100`)).body.data as Json[];
  const changes = (await rest('GET', '/changes')).body.data as Json[];
  const own = new Set(['id', 'tenant_id', 'created_at', 'updated_at']);
  const timeless = (row: unknown): unknown =>
    JSON.parse(JSON.stringify(row, (name, value: unknown) => (own.has(name) ? undefined : value)));
  return [rows, changes.map(({ data }) => data)].map((list) => list.map(timeless));
}

/** The problems of lines, as each tells of them. The texts of an enum's values are its own. */
const named = (line: unknown, { field, code, params }: Json): unknown => [
  line,
  field,
  code,
  code === 'unknown_value' ? {} : params,
];
const sorted = (problems: unknown[]): unknown[] =>
  problems.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe('a CSV file', () => {
  it.each(Object.keys(kinds) as (keyof typeof kinds)[])(
    'of %s records leaves the rows, and has the problems, of the same lines in a bulk operation',
    async (kind) => {
      const { resource, line } = kinds[kind];
      const seen = { imported: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(fc.array(line as fc.Arbitrary<Line>, { minLength: 1, maxLength: 8 }), async (given) => {
          const lines = given.map((each, at) => ({ external_id: `K-${at}`, ...each }));
          const [csv, bulk] = [await service.integrator(), await service.integrator()];
          const columns = Object.fromEntries(Object.keys(lines[0] ?? {}).map((name) => [toCamel(name), name]));
          const { body } = await uploadRecords(
            service,
            csv,
            kind,
            toCsv(lines),
            { columns },
            'details: errors { line field code params }',
          );
          const { details, imported } = body.data.result as { details: Json[]; imported: number };
          const { results } = await doInBulk(bulk, { resource, action: 'create' }, lines.map(toBody));
          const places = placeOf(lines);
          expect(sorted(details.map((each) => named(places.get(each['line'] as number), each)))).toEqual(
            sorted(
              results.flatMap(({ line: number, details: ofLine = [] }) =>
                (ofLine as Json[]).map((each) => named(number, { ...each, field: toCamel(String(each['field'])) })),
              ),
            ),
          );
          expect(imported).toBe(details.length > 0 ? 0 : lines.length); // all or none
          seen[details.length > 0 ? 'refused' : 'imported'] += 1;
          if (details.length > 0) return;
          expect(await readRows(csv, resource)).toEqual(await readRows(bulk, resource));
          expect(await csv.db.event.count()).toBe(0); // an import tells nobody of the past
          expect(await bulk.db.event.count({ where: { type: { not: 'bulk_operation.finished' } } })).toBe(lines.length);
        }),
        { numRuns: 25 },
      );
      expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
    },
  );
});

/** The places of records by the lines of the file where they begin: a cell may have several lines. */
function placeOf(lines: readonly Line[]): Map<number, number> {
  const places = new Map<number, number>();
  let at = 2;
  for (const [index, line] of lines.entries()) {
    places.set(at, index + 1);
    at += 1 + (Object.values(line).join('').match(/\n/g)?.length ?? 0);
  }
  return places;
}
