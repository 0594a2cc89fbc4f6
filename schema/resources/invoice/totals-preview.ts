import { builder } from '../../builder.ts';
import { count, currency, decimal, unitPrice, vatRate } from '../../input/validators.ts';
import { VatShare } from './invoice.ts';
import { isWhole, totalRules } from './mutations.ts';
import { invoiceTotals, lineTotal, type Decimal, type InvoiceTotals as Totals } from '../../money/money.ts';

// What an invoice would come to, before there is one: a front end shows it while lines are typed, and needs no
// arithmetic of its own.

const InvoiceLineInput = builder.inputType('InvoiceLineInput', {
  description: 'What a line of an invoice comes to follows from these.',
  fields: (t) => ({
    quantity: t.field({
      type: 'Decimal',
      required: true,
      description: 'How many units.',
      validate: decimal({ decimals: 4, nonZero: true }),
    }),
    unitPriceNet: t.field({ type: 'Decimal', required: true, description: 'Price of a unit.', validate: unitPrice }),
    vatRate: t.field({ type: 'Decimal', required: true, description: 'Per cent.', validate: vatRate }),
  }),
});

const InvoiceTotalsInput = builder.inputType('InvoiceTotalsInput', {
  description: "An invoice's lines.",
  fields: (t) => ({
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    items: t.field({
      type: [InvoiceLineInput],
      required: true,
      description: 'Its lines, by position.',
      validate: count(1, 500, 'items'),
    }),
  }),
});

interface Preview extends Totals {
  currency: string;
  lineTotalsNet: Decimal[];
}

const InvoiceTotals = builder.objectRef<Preview>('InvoiceTotals').implement({
  description: "What an invoice's lines come to, rounded as the invoice itself would be.",
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    lineTotalsNet: t.expose('lineTotalsNet', { type: ['Decimal'], description: 'Of each line, in their order.' }),
    totalNet: t.expose('totalNet', { type: 'Decimal', description: 'Sum of the lines.' }),
    totalVat: t.expose('totalVat', { type: 'Decimal', description: 'VAT, once per rate.' }),
    totalGross: t.expose('totalGross', { type: 'Decimal', description: 'What is to be paid.' }),
    vatBreakdown: t.expose('vatBreakdown', { type: [VatShare], description: 'VAT per rate, rates ascending.' }),
  }),
});

builder.queryField('invoiceTotals', (t) =>
  t.field({
    type: InvoiceTotals,
    description: 'What an invoice with these lines would come to. Nothing is stored.',
    ability: 'invoices:read',
    args: { input: t.arg({ type: InvoiceTotalsInput, required: true }) },
    rules: ({ input }, context, problems) => {
      const { items, currency: named } = input ?? {};
      if (items?.every(isWhole)) totalRules(items, named ?? context.tenant.defaultCurrency, problems);
    },
    resolve: (_root, { input: { items, currency: named } }, { tenant }) => {
      const inCurrency = named ?? tenant.defaultCurrency;
      const lineTotalsNet = items.map((line) => lineTotal(line, inCurrency));
      return { currency: inCurrency, lineTotalsNet, ...invoiceTotals(items, inCurrency) };
    },
  }),
);
