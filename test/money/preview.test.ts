import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';

// invoiceTotals previews the totals of an invoice, creditNotePreview those of a credit note. They equal the totals of what is
// created.

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

describe('the preview of a credit note', () => {
  const creditNotePreview = (input: object) =>
    acme.graphqlAnswer(
      `query ($input: CreateCreditNoteInput!) {
        creditNotePreview(input: $input) { currency lineTotalsNet ${totals} amountDue amountToRefund }
      }`,
      { input },
    );
  const createCreditNote = (input: object) =>
    acme.graphql(
      `mutation ($input: CreateCreditNoteInput!) {
        createCreditNote(input: $input) {
          currency ${totals} items { lineTotalNet } invoice { amountDue amountToRefund }
        }
      }`,
      { input },
    );
  const stored = async () => [await acme.db.creditNote.count(), await acme.db.creditNoteSequence.findMany()];

  it('has the totals of the created one, and the amounts of the invoice after it; nothing is stored', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('EUR', 'JPY', 'TND'),
        fc.constantFrom('ISSUED', 'PAID'),
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 3 }),
        async (lines, currency, status, percentages) => {
          const items = lines.map((each) => ({ ...each, title: 'Work' }));
          const invoiceId = await makeInvoice(acme, { items, currency });
          const { invoice } = await acme.graphql(
            `{ invoice(id: "${invoiceId}") { totalGross items { id quantity } } }`,
          );
          if (Number(invoice.totalGross) === 0) return;
          await acme.graphql(`mutation { issueInvoice(id: "${invoiceId}") { id } }`);
          if (status === 'PAID') await acme.graphql(`mutation { payInvoice(id: "${invoiceId}") { id } }`);
          const inputs = [
            ...percentages.map((percentage) => ({
              invoiceId,
              items: invoice.items.map(({ id, quantity }: { id: string; quantity: string }) => ({
                invoiceItemId: id,
                quantity: ((Number(quantity) * percentage) / 400).toFixed(4),
              })),
            })),
            { invoiceId },
          ];
          for (const input of inputs) {
            const before = await stored();
            const { body } = await creditNotePreview(input);
            expect(await stored()).toEqual(before);
            if (body.errors) continue; // as an amount that is rounded to zero
            const { createCreditNote: created } = await createCreditNote(input);
            const { items: made, invoice: after, ...rest } = created;
            expect(body.data.creditNotePreview).toEqual({
              ...rest,
              ...after,
              lineTotalsNet: made.map(({ lineTotalNet }: { lineTotalNet: string }) => lineTotalNet),
            });
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it('says what is to be refunded of a paid invoice', async () => {
    const invoiceId = await makeInvoice(acme, { status: 'PAID' });
    const { body } = await creditNotePreview({ invoiceId, amounts: [{ vatRate: '19', net: '50' }] });
    expect(body.data.creditNotePreview).toEqual({
      currency: 'EUR',
      lineTotalsNet: ['50'],
      totalNet: '50',
      totalVat: '9.5',
      totalGross: '59.5',
      vatBreakdown: [{ vatRate: '19', net: '50', vat: '9.5' }],
      amountDue: '0',
      amountToRefund: '59.5',
    });
  });

  it('reports errors as the creation does', async () => {
    const draft = await makeInvoice(acme);
    const invoiceId = await makeInvoice(acme, { status: 'ISSUED' });
    const amount = { vatRate: '19', net: '100.01' };
    for (const input of [
      { invoiceId: draft },
      { invoiceId: '01890000-0000-7000-8000-000000000000' },
      { invoiceId, amounts: [amount] },
      { invoiceId, items: [] },
      { invoiceId, creditNoteDate: '2026-02-28' },
    ]) {
      const { body } = await creditNotePreview(input);
      const created = await acme.graphqlAnswer(
        'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }',
        { input },
      );
      expect(body.errors[0].extensions.errors).toEqual(created.body.errors[0].extensions.errors);
    }
  });
});
