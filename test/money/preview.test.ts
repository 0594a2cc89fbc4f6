import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';

// invoiceTotals previews the totals of an invoice. They equal the totals of the created invoice.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const totals = 'totalNet totalVat totalGross vatBreakdown { vatRate net vat }';
const preview = (input: object) =>
  acme.graphqlAnswer(
    `query ($input: InvoiceTotalsInput!) { invoiceTotals(input: $input) { lineTotalsNet ${totals} currency } }`,
    { input },
  );

const decimal = (from: number, to: number, digits: number) =>
  fc
    .integer({ min: from * 10 ** digits, max: to * 10 ** digits })
    .map((value) => (value / 10 ** digits).toFixed(digits));

const line = fc.record({
  quantity: decimal(1, 50, 4),
  unitPriceNet: decimal(0, 200, 4),
  vatRate: fc.constantFrom('0', '7', '19', '5.5'),
  discountPercent: fc.constantFrom('0', '3', '33.33', null),
});

it('a preview has the same totals and line totals as the created invoice, in every currency', async () => {
  const { createCustomer } = await acme.graphql(
    'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Globex" }) { id } }',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('EUR', 'JPY', 'TND'),
      async (items, currency) => {
        const { createInvoice } = await acme.graphql(
          `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { ${totals} items { lineTotalNet } } }`,
          {
            input: {
              customerId: createCustomer.id,
              invoiceDate: '2026-03-02',
              currency,
              items: items.map((item) => ({ ...item, title: 'Work' })),
            },
          },
        );
        const { items: made, ...invoice } = createInvoice;
        const { body } = await preview({ items, currency });
        expect(body.data.invoiceTotals).toEqual({
          ...invoice,
          currency,
          lineTotalsNet: made.map(({ lineTotalNet }: { lineTotalNet: string }) => lineTotalNet),
        });
      },
    ),
    { numRuns: 25 },
  );
});

it('a preview stores nothing, has the tenant’s currency by default, and reports errors by input path', async () => {
  const before = await acme.db.invoice.count();
  const { body } = await preview({ items: [{ quantity: '2', unitPriceNet: '1.005', vatRate: '19' }] });
  expect(body.data.invoiceTotals).toMatchObject({ currency: 'EUR', totalNet: '2.01', totalVat: '0.38' });
  expect(await acme.db.invoice.count()).toBe(before);
  const bad = await preview({ items: [{ quantity: '0', unitPriceNet: '1', vatRate: '101' }] });
  expect(Object.keys(bad.body.errors[0].extensions.errors)).toEqual([
    'input.items.0.quantity',
    'input.items.0.vatRate',
  ]);
  const negative = await preview({ items: [{ quantity: '-1', unitPriceNet: '1', vatRate: '0' }] });
  expect(negative.body.errors[0].extensions.errors).toEqual({
    'input.items': ["The invoice's total must not be negative."],
  });
});
