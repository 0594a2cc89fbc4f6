import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { work } from '../webhooks/receiver.ts';
import { doInBulk } from '../bulk/operations.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { uploadRecords, type Kind } from './records.ts';
import { unknownId } from '../rest/samples.ts';

// Records as a CSV file, beside the same as lines of a bulk operation of another tenant.

let service: Service;
let worker: Worker;
beforeAll(async () => {
  service = await startService();
  service.clock.now = new Date('2026-06-15T12:00:00Z');
  worker = await work(service);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
});

type Json = Record<string, unknown>;
/** The cells of a row of the file, by the names of REST's fields. */
type Line = Record<string, string>;
/** The rows of a record: one, or the lines of an invoice. */
type Given = Line[];

const mostly = (valid: string[], invalid: string[]): fc.Arbitrary<string> => {
  const arbitrary = fc.constantFrom(...valid);
  return invalid.length === 0
    ? arbitrary
    : fc.oneof({ weight: 60, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(...invalid) });
};
/** Mostly valid texts; empty is none. */
const cell = (valid: string[], ...invalid: string[]): fc.Arbitrary<string> =>
  mostly(valid, invalid.length > 0 ? ['', ...invalid] : []);

interface Compared {
  resource: string;
  /** The beginning of its events' names. */
  event: string;
  given: fc.Arbitrary<Given>;
  /** The body of a record, if it isn't the cells of its row. */
  toBody?: (rows: Given, ids: ReadonlyMap<string, string>) => Json;
  /** The columns by REST's names of the fields, where they differ. */
  columns?: Record<string, string>;
  /** The fields in which each row of a record has its own values. */
  ofRows?: readonly string[];
}

const oneRow = (line: fc.Arbitrary<Line>): fc.Arbitrary<Given> => line.map((row) => [row]);

/** JSON has no text for what isn't there, and numbers for what is one. */
const plain = (line: Line): Json =>
  Object.fromEntries(
    Object.entries(line).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, name === 'payment_terms_days' ? Number(text) : text]],
    ),
  );

/** The id of what a cell names. */
const idOf = (ids: ReadonlyMap<string, string>, text: unknown): string | undefined =>
  text === undefined ? undefined : (ids.get(text as string) ?? unknownId);

const itemFields = ['title', 'quantity', 'unit', 'unit_price_net', 'vat_rate', 'vat_category', 'discount_percent'];
const invoiceHead = fc.record({
  customer: cell(['Kundin', 'K-0'], 'Nobody'),
  invoice_date: cell(['2026-06-01', '2026-06-10'], '2026-02-31', '1899-12-31', '2027-06-16'),
  due_date: cell(['', '2026-06-20', '2026-07-01'], '2026-05-31'),
  delivery_date: cell(['', '2026-05-31']),
  subject: cell(['', 'Work'], 'x'.repeat(1001)),
  currency: cell(['', 'EUR', 'USD', 'JPY'], 'XXQ'),
});
const invoiceItem = fc.record({
  // Never empty: in a file, a line's title is the subject by default, and its quantity 1.
  title: mostly(['A', 'B; "C"'], ['x'.repeat(256)]),
  quantity: mostly(['1', '2.5', '0.001'], ['0.00001', 'one']),
  unit: cell(['', 'h', 'pcs'], 'x'.repeat(33)),
  unit_price_net: cell(['10', '99.99', '0.3333'], '1.23456'),
  vat_rate: cell(['19', '7'], '101', '0'),
  vat_category: cell(['', 'S'], 'Q', 'Z', 'E'),
  discount_percent: cell(['', '10', '2.5'], '101'),
});

const kinds: Record<Kind, Compared> = {
  Customer: {
    resource: 'customers',
    event: 'customer',
    given: oneRow(
      fc.record({
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
    ),
  },
  Project: {
    resource: 'projects',
    event: 'project',
    given: oneRow(
      fc.record({
        name: cell(['A', 'B', 'C'], ' '),
        description: cell(['', 'one\ntwo']),
        status: cell(['', 'active', 'completed'], 'gone'),
        hourly_rate_net: cell(['', '85', '85.1250'], '-1', '1.23456'),
        currency: cell(['', 'EUR', 'JPY'], 'XXQ'),
        budget_hours: cell(['', '10', '0'], 'ten'),
        start_date: cell(['', '2026-03-01'], '2026-02-31'),
        end_date: cell(['', '2026-04-01'], '2026-02-01'),
      }),
    ),
  },
  Invoice: {
    resource: 'invoices',
    event: 'invoice',
    given: fc
      .tuple(invoiceHead, fc.array(invoiceItem, { minLength: 1, maxLength: 3 }))
      .map(([head, items]) => items.map((item) => ({ ...head, ...item }))),
    ofRows: itemFields,
    columns: { customer_id: 'customer' },
    toBody: (rows, ids) => {
      const { customer, number: _, ...body } = plain(rows[0] ?? {});
      const head = Object.fromEntries(Object.entries(body).filter(([name]) => !itemFields.includes(name)));
      const items = rows.map((row) =>
        Object.fromEntries(Object.entries(plain(row)).filter(([name]) => itemFields.includes(name))),
      );
      return { ...head, customer_id: idOf(ids, customer), status: 'issued', items };
    },
  },
  Receipt: {
    resource: 'receipts',
    event: 'receipt',
    given: oneRow(
      fc.record({
        receipt_date: cell(['2026-06-01', '2026-05-10'], '2026-02-31'),
        amount_gross: cell(['119', '10.5', '7'], '-1', '1.2345678', 'much'),
        vat_rate: cell(['', '0', '19', '7'], '101'),
        currency: cell(['', 'EUR', 'USD'], 'XXQ'),
        supplier: cell(['', 'Lieferant', 'L-0'], 'Nobody'),
        project: cell(['', 'Umbau'], 'Nothing'),
        receipt_number: cell(['', 'R 1'], 'x'.repeat(256)),
        due_date: cell(['', '2026-07-01'], 'soon'),
        description: cell(['', 'one\ntwo']),
        category: cell(['', 'travel'], 'x'.repeat(256)),
      }),
    ),
    columns: { supplier_id: 'supplier', project_id: 'project' },
    toBody: ([row = {}], ids) => {
      const { supplier, project, ...body } = plain(row);
      return { ...body, supplier_id: idOf(ids, supplier), project_id: idOf(ids, project), status: 'booked' };
    },
  },
  TimeEntry: {
    resource: 'time-entries',
    event: 'time_entry',
    given: oneRow(
      fc.record({
        project: cell(['Umbau', 'P-0'], 'Nothing'),
        date: cell(['2026-06-01', '2026-05-10'], '2026-02-31'),
        duration: cell(['90', '1', '1440'], '1441'),
        description: cell(['', 'one\ntwo']),
        billable: cell(['', 'true', 'false']),
        hourly_rate_net: cell(['', '85', '85.1250'], '-1', '1.23456'),
      }),
    ),
    columns: { project_id: 'project', duration_minutes: 'duration' },
    toBody: ([row = {}], ids) => {
      const { project, duration, billable, ...body } = plain(row);
      return {
        ...body,
        project_id: idOf(ids, project),
        duration_minutes: duration === undefined ? undefined : Number(duration),
        billable: billable === undefined ? undefined : billable === 'true',
      };
    },
  },
};

const toCamel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const toCsv = (lines: readonly Line[]): string =>
  [Object.keys(lines[0] ?? {}), ...lines.map((line) => Object.values(line))]
    .map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
    .join('\n');

/** Makes what records refer to. @returns the ids, by the names and the ids of the other system */
async function makeReferred({ db }: Integrator): Promise<Map<string, string>> {
  const partner = { companyName: 'Kundin', type: 'CUSTOMER' } as const;
  const customer = await db.customer.create({ data: { ...partner, externalId: 'K-0' } });
  const supplier = await db.customer.create({
    data: { companyName: 'Lieferant', type: 'SUPPLIER', externalId: 'L-0' },
  });
  const project = await db.project.create({
    data: { name: 'Umbau', externalId: 'P-0', customerId: customer.id, currency: 'EUR', hourlyRateNet: 80 },
  });
  return new Map([
    ['Kundin', customer.id],
    ['K-0', customer.id],
    ['Lieferant', supplier.id],
    ['L-0', supplier.id],
    ['Umbau', project.id],
    ['P-0', project.id],
  ]);
}

/** The rows and changes, without what is each tenant's own, or the time of the import. */
async function readRows(
  { rest, userId }: Integrator,
  resource: string,
  ids: ReadonlyMap<string, string>,
): Promise<unknown[]> {
  const rows = (await rest('GET', `/${resource}?per_page=100`)).body.data as Json[];
  const changes = (await rest('GET', '/changes')).body.data as Json[];
  const own = new Set(['id', 'tenant_id', 'created_at', 'updated_at', 'issued_at', 'paid_at']);
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  names.set(userId, 'the user');
  const timeless = (row: unknown): unknown =>
    JSON.parse(
      JSON.stringify(row, (name, value: unknown) =>
        own.has(name) ? undefined : (names.get(value as string) ?? value),
      ),
    );
  return [rows, changes.map(({ data }) => data)].map((list) => list.map(timeless));
}

/** A problem, and its record and row, as both tell it. The texts of an enum's values are their own. */
type Told = [place: (number | undefined)[], field: unknown, code: unknown, params: unknown];
const told = (place: (number | undefined)[], { field, code, params }: Json): Told => [
  place,
  field,
  code,
  code === 'unknown_value' ? {} : params,
];
/**
 * Each problem once: a value of the whole invoice is wrong in each of its rows. A bulk operation looks for what a line names only
 * if all else of it is right, so that this is left out of records with other problems.
 */
function sorted(problems: Told[]): unknown[] {
  const isLookUp = ([, , code]: Told): boolean => code === 'not_found';
  const otherwiseWrong = new Set(problems.filter((each) => !isLookUp(each)).map(([[record]]) => record));
  const compared = problems.filter((each) => !isLookUp(each) || !otherwiseWrong.has(each[0][0]));
  return [...new Set(compared.map((each) => JSON.stringify(each)))].toSorted();
}

describe('a CSV file', () => {
  it.each(Object.keys(kinds) as Kind[])(
    'of %s records leaves the rows, and has the problems, of the same lines in a bulk operation',
    async (kind) => {
      const { resource, event, given, toBody = ([row = {}]) => plain(row), columns = {}, ofRows = [] } = kinds[kind];
      const isOfRow = new Set(ofRows.map(toCamel));
      const seen = { imported: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 8 }), async (all) => {
          const records = all.map((rows, at) => {
            // The number that the next invoice gets here.
            const number: Line = kind === 'Invoice' ? { number: `2026-${String(at + 1).padStart(4, '0')}` } : {};
            return rows.map((row): Line => ({ external_id: `X-${at}`, ...number, ...row }));
          });
          const lines = records.flat();
          const [csv, bulk] = [await service.integrator(), await service.integrator()];
          const ids = [await makeReferred(csv), await makeReferred(bulk)] as const;
          const mapping = Object.fromEntries(Object.keys(lines[0] ?? {}).map((name) => [toCamel(name), name]));
          const { body } = await uploadRecords(
            service,
            csv,
            kind,
            toCsv(lines),
            { columns: mapping },
            'details: errors { line field code params }',
          );
          const { details, imported } = body.data.result as { details: Json[]; imported: number };
          const { results } = await doInBulk(
            bulk,
            { resource, action: 'create' },
            records.map((rows) => toBody(rows, ids[1])),
          );
          const places = placeOf(records);
          const ofFile = details.map((each) => {
            const [record, row] = places.get(each['line'] as number) ?? [];
            return told([record, isOfRow.has(String(each['field'])) ? row : 0], each);
          });
          const ofBulk = results.flatMap(({ line: record, details: ofLine = [] }) =>
            (ofLine as Json[]).map((each) => {
              const [, row = 0, name = ''] = /^(?:items\.(\d+)\.)?(.*)$/.exec(String(each['field'])) ?? [];
              return told([Number(record), Number(row)], { ...each, field: toCamel(columns[name] ?? name) });
            }),
          );
          expect(sorted(ofFile)).toEqual(sorted(ofBulk));
          expect(imported).toBe(details.length > 0 ? 0 : records.length); // all or none
          seen[details.length > 0 ? 'refused' : 'imported'] += 1;
          if (details.length > 0) return;
          expect(await readRows(csv, resource, ids[0])).toEqual(await readRows(bulk, resource, ids[1]));
          expect(await csv.db.event.count()).toBe(0); // an import tells nobody of the past
          expect(await bulk.db.event.count({ where: { type: `${event}.created` } })).toBe(records.length);
        }),
        { numRuns: 25 },
      );
      expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
    },
  );
});

/** The places of rows by the lines of the file where they begin: a cell may have several lines. */
function placeOf(records: readonly Given[]): Map<number, [record: number, row: number]> {
  const places = new Map<number, [number, number]>();
  let at = 2;
  for (const [index, rows] of records.entries())
    for (const [place, line] of rows.entries()) {
      places.set(at, [index + 1, place]);
      at += 1 + (Object.values(line).join('').match(/\n/g)?.length ?? 0);
    }
  return places;
}
