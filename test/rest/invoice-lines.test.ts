import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { accepts, characters, create, invalidFields, refuses } from './samples.ts';

let service: Service;
let acme: Integrator;
let customerId: string;
let smallest: [string, ReturnType<typeof sample.invoice>];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  customerId = (await create(acme, '/customers', sample.customer)).id;
  smallest = ['/invoices', sample.invoice(customerId)];
});
afterAll(() => service.close());

const withItems = (...items: object[]): object => ({ ...smallest[1], items });
const line = (fields: object = {}): object => ({ ...sample.item, ...fields });
const refusedFields = async (fields: object) =>
  invalidFields(await acme.rest('POST', '/invoices', withItems(line(fields))));

describe('a line of POST /invoices', () => {
  it('answers every field as given', async () => {
    const given = {
      vat_rate: 0,
      vat_category: 'AE',
      exemption_reason: 'Reverse charge',
      unit: 'box',
      unit_code: 'XBX',
      description: 'Two lines\nof text',
      discount_percent: 12.5,
      service_period_start: '2026-02-01',
      service_period_end: '2026-02-28',
    };
    const { items, id } = await create(acme, '/invoices', withItems(line(given)));
    expect(items).toEqual([{ id: sample.anId, position: 1, ...sample.item, ...given, line_total_net: 87.5 }]);
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data.items).toEqual(items);
  });

  it('vat_category: one of EN 16931, by default Z at 0 % and else S; only S has a rate above 0', async () => {
    const answered = async (fields: object) =>
      (await create(acme, '/invoices', withItems(line(fields)))).items[0].vat_category;
    expect(await answered({})).toBe('S');
    expect(await answered({ vat_category: null, vat_rate: 0 })).toBe('Z');
    for (const category of ['Z', 'E', 'AE', 'K', 'G', 'O']) {
      expect(await answered({ vat_category: category, vat_rate: 0 })).toBe(category);
      expect(await refusedFields({ vat_category: category })).toEqual(['items.0.vat_category']);
    }
    expect(await refusedFields({ vat_category: 'S', vat_rate: 0 })).toEqual(['items.0.vat_category']);
    await refuses(acme, smallest, 'items.0.vat_category', ['', 's', 'X', 'L', 1]);
  });

  it('exemption_reason: at most 1024 characters, with the categories that need one', async () => {
    const exempt: [string, object] = ['/invoices', withItems(line({ vat_category: 'E', vat_rate: 0 }))];
    await accepts(acme, exempt, 'items.0.exemption_reason', [null, characters(1024)]);
    await refuses(acme, exempt, 'items.0.exemption_reason', ['', characters(1025), 1]);
    await refuses(acme, smallest, 'items.0.exemption_reason', ['Small business']);
    expect(await refusedFields({ vat_rate: 0, exemption_reason: 'x' })).toEqual(['items.0.exemption_reason']);
  });

  it('unit_code: UN/ECE Recommendation 20, by default that of the unit, or C62', async () => {
    const codes = {
      h: 'HUR',
      H: 'HUR',
      Std: 'HUR',
      pcs: 'H87',
      Stück: 'H87',
      day: 'DAY',
      km: 'KMT',
      month: 'MON',
      kg: 'KGM',
    };
    for (const [unit, code] of Object.entries({ ...codes, boxes: 'C62', constructor: 'C62' }))
      expect((await create(acme, '/invoices', withItems(line({ unit })))).items[0]).toMatchObject({
        unit,
        unit_code: code,
      });
    expect((await create(acme, ...smallest)).items[0]).toMatchObject({ unit: null, unit_code: 'C62' });
    await accepts(acme, smallest, 'items.0.unit_code', ['HUR', '11', 'XPP']);
    await refuses(acme, smallest, 'items.0.unit_code', ['', 'hur', 'HOUR', 'ZZZ', 1]);
  });

  it('description: at most 2000 characters', async () => {
    await accepts(acme, smallest, 'items.0.description', [null, characters(2000)]);
    await refuses(acme, smallest, 'items.0.description', [characters(2001), 1]);
  });

  it('discount_percent: 0 to 100 with at most 2 decimals; the line is rounded once, half away from zero', async () => {
    await accepts(acme, smallest, 'items.0.discount_percent', [0, 100, 33.33]);
    await accepts(acme, smallest, 'items.0.discount_percent', [null], () => 0);
    await refuses(acme, smallest, 'items.0.discount_percent', [-1, 100.01, 0.001, 'x']);
    const total = async (fields: object) =>
      (await create(acme, '/invoices', withItems(line(), line(fields)))).items[1].line_total_net;
    expect(await total({ quantity: 1, unit_price_net: 0.1, discount_percent: 50 })).toBe(0.05);
    expect(await total({ quantity: 1, unit_price_net: 0.01, discount_percent: 50 })).toBe(0.01);
    expect(await total({ quantity: -1, unit_price_net: 0.01, discount_percent: 50 })).toBe(-0.01);
    // 0.3333 × 0.15 = 0.049995; rounded first, it would be 0.33 × 0.15 = 0.0495.
    expect(await total({ quantity: 1, unit_price_net: 0.3333, discount_percent: 85 })).toBe(0.05);
  });

  it('service_period: days, of which the last is not before the first; one of them is enough, and both can be one', async () => {
    await accepts(acme, smallest, 'items.0.service_period_start', [null, '2026-02-01']);
    await accepts(acme, smallest, 'items.0.service_period_end', [null, '2026-02-28']);
    await refuses(acme, smallest, 'items.0.service_period_end', ['2026-02-30', 'x']);
    const period = { service_period_start: '2026-02-02', service_period_end: '2026-02-01' };
    expect(await refusedFields(period)).toEqual(['items.0.service_period_end']);
    const oneDay = { service_period_start: '2026-02-01', service_period_end: '2026-02-01' };
    expect((await create(acme, '/invoices', withItems(line(oneDay)))).items[0]).toMatchObject(oneDay);
  });

  it('all wrong fields of all lines are reported at once', async () => {
    const wrong = [line({ vat_category: 'Z' }), line({ exemption_reason: 'x', discount_percent: 101 })];
    expect(invalidFields(await acme.rest('POST', '/invoices', withItems(...wrong)))).toEqual([
      'items.0.vat_category',
      'items.1.discount_percent',
      'items.1.exemption_reason',
    ]);
  });
});

describe('lines from before there were categories and unit codes', () => {
  it('answer what a new line would have by default, and nothing changes when that is sent back', async () => {
    const { id } = await create(acme, '/invoices', withItems(line({ unit: 'h' }), line({ vat_rate: 0 })));
    const before = 'update invoice_items set vat_category = null, unit_code = null where invoice_id = $1';
    await service.pool.query(before, [id]);
    const { items } = (await acme.rest('GET', `/invoices/${id}`)).body.data;
    expect(items).toMatchObject([
      { vat_category: 'S', unit_code: 'HUR', discount_percent: 0 },
      { vat_category: 'Z', unit_code: 'C62', discount_percent: 0 },
    ]);
    const asked = `version items { title quantity unit unitPriceNet vatRate vatCategory exemptionReason unitCode description
      discountPercent servicePeriodStart servicePeriodEnd }`;
    const { invoice } = await acme.graphql(`query ($id: UUID!) { invoice(id: $id) { ${asked} } }`, { id });
    const update = `mutation ($id: UUID!, $input: UpdateInvoiceInput!) { updateInvoice(id: $id, input: $input) { ${asked} } }`;
    const { updateInvoice } = await acme.graphql(update, { id, input: { items: invoice.items } });
    expect(updateInvoice).toEqual(invoice);
  });
});

describe('GraphQL’s vatBreakdownByCategory', () => {
  const breakdowns =
    'vatBreakdown { vatRate net vat } vatBreakdownByCategory { vatCategory vatRate net vat exemptionReason }';

  it('has a share for each rate and category, in the order of these, with the reasons of its lines', async () => {
    const items = [
      line({ unit_price_net: 20, vat_rate: 0 }),
      line({ unit_price_net: 10, vat_rate: 0, vat_category: 'E', exemption_reason: 'Teaching' }),
      line({ unit_price_net: 30, vat_rate: 0, vat_category: 'E', exemption_reason: 'Health' }),
      line({ unit_price_net: 40, vat_rate: 0, vat_category: 'E', exemption_reason: 'Teaching' }),
      line({ unit_price_net: 100, vat_rate: 19 }),
      line({ unit_price_net: 100, vat_rate: 7 }),
    ];
    const { id, vat_breakdown: perRate } = await create(acme, '/invoices', withItems(...items));
    expect(perRate).toEqual([
      { vat_rate: 0, net: 100, vat: 0 },
      { vat_rate: 7, net: 100, vat: 7 },
      { vat_rate: 19, net: 100, vat: 19 },
    ]);
    const { invoice } = await acme.graphql(`query ($id: UUID!) { invoice(id: $id) { ${breakdowns} } }`, { id });
    expect(invoice.vatBreakdownByCategory).toEqual([
      { vatCategory: 'E', vatRate: '0', net: '80', vat: '0', exemptionReason: 'Teaching; Health' },
      { vatCategory: 'Z', vatRate: '0', net: '20', vat: '0', exemptionReason: null },
      { vatCategory: 'S', vatRate: '7', net: '100', vat: '7', exemptionReason: null },
      { vatCategory: 'S', vatRate: '19', net: '100', vat: '19', exemptionReason: null },
    ]);
  });

  it('adds up to the breakdown per rate, whatever the categories; so does the preview', async () => {
    const amount = fc.integer({ min: 1, max: 99_999 }).map((units) => (units / 1000).toFixed(3));
    const taxed = fc.record({ vatRate: fc.constantFrom('5.5', '7', '19'), vatCategory: fc.constantFrom('S', null) });
    const untaxed = fc.record({
      vatRate: fc.constant('0'),
      vatCategory: fc.constantFrom('Z', 'E', 'AE', 'K', 'G', 'O', null),
    });
    const priced = fc.record({
      quantity: amount,
      unitPriceNet: amount,
      discountPercent: fc.constantFrom('0', '2.5', null),
    });
    const item = fc.tuple(priced, fc.oneof(taxed, untaxed)).map(([price, tax]) => ({ ...price, ...tax }));
    const perRate = (shares: { vatRate: string; net: string; vat: string }[]) => {
      const sums = Map.groupBy(shares, ({ vatRate }) => vatRate);
      return [...sums].map(([vatRate, of]) => [
        vatRate,
        ...(['net', 'vat'] as const).map((name) =>
          of.reduce((sum, share) => sum + Math.round(Number(share[name]) * 1000), 0),
        ),
      ]);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('EUR', 'JPY', 'TND'),
        async (items, currency) => {
          const input = {
            customerId,
            invoiceDate: '2026-03-02',
            currency,
            items: items.map((each) => ({ ...each, title: 'x' })),
          };
          const { invoice, invoiceTotals } = {
            ...(await acme.graphql(
              `mutation ($input: CreateInvoiceInput!) { invoice: createInvoice(input: $input) { ${breakdowns} } }`,
              { input },
            )),
            ...(await acme.graphql(
              `query ($input: InvoiceTotalsInput!) { invoiceTotals(input: $input) { ${breakdowns} } }`,
              {
                input: { items, currency },
              },
            )),
          };
          expect(perRate(invoice.vatBreakdownByCategory)).toEqual(perRate(invoice.vatBreakdown));
          expect(invoiceTotals).toEqual(invoice);
        },
      ),
      { numRuns: 40 },
    );
  });
});
