import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { iso31661 } from 'iso-3166/1.js';
import { homeCurrencies } from '../../schema/codes/home-currencies.ts';
import { isCurrency } from '../../schema/money/money.ts';
import { setCompany } from '../documents/parties.ts';
import { proveNext } from '../../schema/resources/document/proofs.ts';
import { refusal } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields } from './samples.ts';

// "An exchange rate stands on documents in foreign money: the units of the home currency for one of the document's."

let service: Service;
let acme: Integrator;
let customerId: string;
let documents: [name: string, path: string, body: object][];

const rate = { exchange_rate: 0.9234, exchange_rate_date: '2026-02-27', exchange_rate_source: 'ECB' };
const none = { exchange_rate: null, exchange_rate_date: null, exchange_rate_source: null };
const asStored = { ...rate, exchange_currency: 'EUR' };

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  customerId = (await create(acme, '/customers', sample.customer)).id;
  documents = [
    ['invoice', '/invoices', { ...sample.invoice(customerId), currency: 'USD' }],
    ['receipt', '/receipts', { ...sample.receipt, currency: 'USD' }],
  ];
});
afterAll(() => service.close());

/** The codes of a refused mutation, by path. */
const refusedCodes = (answer: Awaited<ReturnType<Integrator['graphqlAnswer']>>): Record<string, string> =>
  Object.fromEntries(
    refusal(answer).extensions.details.map(({ field, code }: { field: string; code: string }) => [field, code]),
  );

const codes = ({ body }: Awaited<ReturnType<Integrator['rest']>>): Record<string, string> =>
  Object.fromEntries(body.details.map(({ field, code }: { field: string; code: string }) => [field, code]));

describe.each([0, 1])('an invoice, and a receipt (%i)', (at) => {
  const post = (more: object) => acme.rest('POST', documents[at]![1], { ...documents[at]![2], ...more });

  it('is answered with its rate, its day, its source, and the home currency; with nulls without one', async () => {
    const { status, body } = await post(rate);
    expect([status, body.data]).toEqual([201, expect.objectContaining(asStored)]);
    const path = `${documents[at]![1]}/${body.data.id}`;
    expect((await acme.rest('GET', path)).body.data).toEqual(body.data);
    expect((await post({})).body.data).toMatchObject({ ...none, exchange_currency: null });
    expect((await post({ ...rate, exchange_rate_source: null })).body.data).toMatchObject({
      ...asStored,
      exchange_rate_source: null,
    });
  });

  it.each<[string, object, Record<string, string>]>([
    ['a rate without its day', { exchange_rate: 1.1 }, { exchange_rate_date: 'required' }],
    ['a day without a rate', { exchange_rate_date: '2026-02-27' }, { exchange_rate_date: 'inconsistent' }],
    ['a source without a rate', { exchange_rate_source: 'ECB' }, { exchange_rate_source: 'inconsistent' }],
    ['a document in the home currency', { ...rate, currency: 'EUR' }, { exchange_rate: 'inconsistent' }],
    ['the same by default', { ...rate, currency: undefined }, { exchange_rate: 'inconsistent' }],
    ['zero', { ...rate, exchange_rate: 0 }, { exchange_rate: 'out_of_range' }],
    ['less', { ...rate, exchange_rate: -1 }, { exchange_rate: 'out_of_range' }],
    ['too much', { ...rate, exchange_rate: 1e9 + 1 }, { exchange_rate: 'out_of_range' }],
    ['13 decimals', { ...rate, exchange_rate: '0.1234567890123' }, { exchange_rate: 'too_many_decimals' }],
    ['16 digits', { ...rate, exchange_rate: '1234.123456789012' }, { exchange_rate: 'too_many_digits' }],
    ['a text', { ...rate, exchange_rate: 'x' }, { exchange_rate: 'invalid_format' }],
    ['a day that is none', { ...rate, exchange_rate_date: '2026-02-29' }, { exchange_rate_date: 'invalid_format' }],
    ['a long source', { ...rate, exchange_rate_source: sample.characters(101) }, { exchange_rate_source: 'too_long' }],
    ['an empty source', { ...rate, exchange_rate_source: ' ' }, { exchange_rate_source: 'required' }],
    [
      'both wrong',
      { exchange_rate: 'x', exchange_rate_date: 'x' },
      { exchange_rate: 'invalid_format', exchange_rate_date: 'invalid_format' },
    ],
  ])('refuses: %s', async (_, more, expected) => {
    expect(codes(await post(more))).toEqual(expected);
  });

  it('is refused where its total is too large in the home currency, also later by other lines', async () => {
    const huge = at === 0 ? { items: [{ ...sample.item, unit_price_net: 1e10 }] } : { amount_gross: 1e10 };
    const most = { ...rate, exchange_rate: 1e9 };
    expect(codes(await post({ ...huge, ...most }))).toEqual({ exchange_rate: 'total_out_of_range' });
    const { id } = (await post(most)).body.data;
    const name = at === 0 ? 'Invoice' : 'Receipt';
    const change =
      at === 0
        ? 'items: [{ title: "x", quantity: "1", unitPriceNet: "10000000000", vatRate: "19" }]'
        : 'amountGross: "10000000000"';
    const answer = await acme.graphqlAnswer(
      `mutation ($id: UUID!) { update${name}(id: $id, input: { ${change} }) { id } }`,
      { id },
    );
    expect(refusedCodes(answer)).toEqual({ 'input.exchangeRate': 'total_out_of_range' });
  });

  it('of a draft is changed and cleared as a whole; with another currency it is given anew', async () => {
    const { id } = (await post(rate)).body.data;
    const name = at === 0 ? 'Invoice' : 'Receipt';
    const fields = 'exchangeRate exchangeRateDate exchangeRateSource exchangeCurrency version';
    const update = `mutation ($id: UUID!, $input: Update${name}Input!) { row: update${name}(id: $id, input: $input) { ${fields} } }`;
    const send = (input: object) => acme.graphqlAnswer(update, { id, input });
    const asked = async (input: object) => (await acme.graphql(update, { id, input })).row;

    expect(refusedCodes(await send({ currency: 'GBP' }))).toEqual({ 'input.exchangeRate': 'inconsistent' });
    expect(refusedCodes(await send({ exchangeRate: null }))).toEqual({
      'input.exchangeRateDate': 'inconsistent',
      'input.exchangeRateSource': 'inconsistent',
    });
    expect(refusedCodes(await send({ exchangeRateDate: null }))).toEqual({ 'input.exchangeRateDate': 'required' });
    expect(refusedCodes(await send({ currency: 'EUR', exchangeRate: '1' }))).toEqual({
      'input.exchangeRate': 'inconsistent',
    });
    expect(await asked({ exchangeRate: '0.92340' })).toMatchObject({ version: 1 });
    expect(await asked({ currency: 'GBP', exchangeRate: '1.15' })).toEqual({
      exchangeRate: '1.15',
      exchangeRateDate: '2026-02-27',
      exchangeRateSource: 'ECB',
      exchangeCurrency: 'EUR',
      version: 2,
    });
    expect(
      await asked({ currency: 'EUR', exchangeRate: null, exchangeRateDate: null, exchangeRateSource: null }),
    ).toEqual({
      exchangeRate: null,
      exchangeRateDate: null,
      exchangeRateSource: null,
      exchangeCurrency: null,
      version: 3,
    });
    const log = await acme.db.auditEntry.findMany({ where: { resourceId: id }, orderBy: { id: 'asc' } });
    expect(log.at(-1)).toMatchObject({
      before: expect.objectContaining({ exchange_rate: 1.15, exchange_currency: 'EUR' }),
      after: expect.objectContaining({ exchange_rate: null, exchange_currency: null }),
    });
  });

  it('of an issued or booked one stays as it is, also for the service’s role in SQL', async () => {
    const { id } = (await post({ ...rate, status: at === 0 ? 'issued' : 'booked' })).body.data;
    const table = at === 0 ? 'invoices' : 'receipts';
    for (const change of [
      'exchange_rate = 2',
      `exchange_rate_date = '2026-01-01'`,
      `exchange_rate_source = 'x'`,
      `exchange_currency = 'CHF'`,
    ])
      await expect(
        acme.db.$rows(`update ${table} set ${change} where tenant_id = $1 and id = $2::uuid`, [id]),
      ).rejects.toThrow(at === 0 ? 'is issued' : 'is booked');
  });

  it('is in its event', async () => {
    const { id } = (await post(rate)).body.data;
    const event = await acme.db.event.findFirstOrThrow({ where: { resourceId: id } });
    expect(Object.values(JSON.parse(event.body).data)[0]).toMatchObject(asStored);
  });
});

it('a credit note, and what reverses a receipt, have that of their document', async () => {
  const invoice = await create(acme, '/invoices', { ...documents[0]![2], ...rate, status: 'issued' });
  const note = await create(acme, '/credit-notes', { invoice_id: invoice.id });
  expect(note).toMatchObject(asStored);
  const cancelled = await create(acme, '/invoices', { ...documents[0]![2], ...rate, status: 'issued' });
  await acme.rest('POST', `/invoices/${cancelled.id}/cancel`);
  expect((await acme.rest('GET', '/credit-notes')).body.data[0]).toMatchObject({
    invoice_id: cancelled.id,
    ...asStored,
  });
  const receipt = await create(acme, '/receipts', { ...documents[1]![2], ...rate, status: 'booked' });
  await acme.rest('POST', `/receipts/${receipt.id}/reverse`);
  const reversal = await acme.db.receipt.findFirstOrThrow({ where: { reversalOfId: receipt.id } });
  expect([reversal.exchangeRate?.toFixed(), reversal.exchangeCurrency]).toEqual(['0.9234', 'EUR']);
});

it('the home currency is that of the company’s country, else of the tenant’s', async () => {
  const who = await service.integrator({ country: 'CH', currency: 'EUR' });
  const { id } = await create(who, '/customers', sample.customer);
  const post = (more: object) => who.rest('POST', '/invoices', { ...sample.invoice(id), ...rate, ...more });
  expect((await post({})).body.data).toMatchObject({ ...rate, exchange_currency: 'CHF' });
  expect(invalidFields(await post({ currency: 'CHF' }))).toEqual(['exchange_rate']);
  const draft = (await post({ currency: 'USD' })).body.data;
  await setCompany(who, { legalName: 'Acme', country: 'DE' });
  expect(invalidFields(await post({}))).toEqual(['exchange_rate']);
  // A draft's former home currency stays until somebody gives a rate.
  const update = `mutation ($id: UUID!, $input: UpdateInvoiceInput!) { row: updateInvoice(id: $id, input: $input) { exchangeCurrency } }`;
  expect((await who.graphql(update, { id: draft.id, input: { subject: 'x' } })).row.exchangeCurrency).toBe('CHF');
  expect((await who.graphql(update, { id: draft.id, input: { exchangeRate: '0.9' } })).row.exchangeCurrency).toBe(
    'EUR',
  );
});

it('a proof has it, and nothing of a document without one', async () => {
  const who = await service.integrator();
  const { id } = await create(who, '/customers', sample.customer);
  const issued = async (more: object) =>
    (await create(who, '/invoices', { ...sample.invoice(id), currency: 'USD', status: 'issued', ...more })).id;
  const [plain, exchanged] = [await issued({}), await issued(rate)];
  const context = await service.contextOf(who);
  await proveNext(context);
  await proveNext(context);
  const said = async (invoice: string) =>
    JSON.parse((await who.rest('GET', `/invoices/${invoice}/proof`)).body.data.data) as Record<string, unknown>;
  expect(Object.keys(await said(plain)).filter((name) => name.startsWith('exchange'))).toEqual([]);
  expect(await said(exchanged)).toMatchObject({
    exchangeRate: '0.9234',
    exchangeRateDate: '2026-02-27T00:00:00.000Z',
    exchangeRateSource: 'ECB',
    exchangeCurrency: 'EUR',
  });
});

it('an invoice with VAT in foreign money is warned of without one', async () => {
  const warned = async (who: Integrator, customer: string, more: object) =>
    (await who.rest('POST', '/invoices', { ...sample.invoice(customer), ...more })).body.warnings.filter(
      ({ code }: { code: string }) => code === 'exchange_rate',
    );
  expect(await warned(acme, customerId, { currency: 'USD' })).toEqual([
    {
      code: 'exchange_rate',
      field: 'exchange_rate',
      message: "No exchange rate is given, so the VAT isn't stated in EUR (§ 16 (6) UStG).",
    },
  ]);
  expect(await warned(acme, customerId, {})).toEqual([]);
  expect(await warned(acme, customerId, { currency: 'USD', ...rate })).toEqual([]);
  const untaxed = { currency: 'USD', items: [{ ...sample.item, vat_rate: 0 }] };
  expect(await warned(acme, customerId, untaxed)).toEqual([]);
  const laws = { AT: '(§ 11 (1) No. 3 f UStG 1994).', PL: '(Art. 230 Directive 2006/112/EC).' };
  for (const [country, law] of Object.entries(laws)) {
    const who = await service.integrator({ country });
    const { id } = await create(who, '/customers', sample.customer);
    const [warning] = await warned(who, id, { currency: 'USD' });
    expect(warning.message).toContain(law);
  }
  const swiss = await service.integrator({ country: 'CH' });
  const { id } = await create(swiss, '/customers', sample.customer);
  expect(await warned(swiss, id, { currency: 'USD' })).toEqual([]);
});

it('each country has a currency, but Antarctica', () => {
  expect(iso31661.filter(({ alpha2 }) => !homeCurrencies.has(alpha2)).map(({ alpha2 }) => alpha2)).toEqual(['AQ']);
  expect([...new Set(homeCurrencies.values())].filter((currency) => !isCurrency(currency))).toEqual([]);
  expect(['DE', 'AT', 'BG', 'HR', 'CH', 'LI', 'US', 'GB', 'PL'].map((country) => homeCurrencies.get(country))).toEqual([
    'EUR',
    'EUR',
    'EUR',
    'EUR',
    'CHF',
    'CHF',
    'USD',
    'GBP',
    'PLN',
  ]);
});
