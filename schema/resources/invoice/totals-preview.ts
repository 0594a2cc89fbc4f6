import { builder } from '../../graphql/builder.ts';
import {
  count,
  currency,
  decimal,
  discountPercent,
  unitPrice,
  vatCategory,
  vatRate,
} from '../../graphql/input/validators.ts';
import { VatCategoryShare, VatShare } from '../vat-share.ts';
import { getVatCategory } from './line.ts';
import { isWhole, lineRules } from './rules.ts';
import { totalRules } from './rules.ts';
import { invoiceTotals, vatBreakdownByCategory } from '../../money/money.ts';
import type { Decimal, InvoiceTotals as Totals, VatCategoryShare as CategoryShare } from '../../money/money.ts';

// The totals of an invoice before it is created: a front end shows them while the user types lines, and needs no arithmetic
// of its own.

const InvoiceLineInput = builder.inputType('InvoiceLineInput', {
  description: 'The values from which the total of an invoice line is calculated.',
  fields: (t) => ({
    quantity: t.field({
      type: 'Decimal',
      required: true,
      description: 'How many units.',
      validate: decimal({ decimals: 4, nonZero: true }),
    }),
    unitPriceNet: t.field({ type: 'Decimal', required: true, description: 'Price of a unit.', validate: unitPrice }),
    vatRate: t.field({ type: 'Decimal', required: true, description: 'Per cent.', validate: vatRate }),
    vatCategory: t.string({ description: 'Default: Z where the rate is 0, else S.', validate: vatCategory }),
    discountPercent: t.field({ type: 'Decimal', description: 'Default: 0.', validate: discountPercent }),
  }),
});

const InvoiceTotalsInput = builder.inputType('InvoiceTotalsInput', {
  description: "An invoice's lines.",
  fields: (t) => ({
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    items: t.field({
      type: [InvoiceLineInput],
      required: true,
      description: "The invoice's lines, ordered by position.",
      validate: count(1, 500, 'items'),
    }),
  }),
});

interface Preview extends Totals {
  currency: string;
  lineTotalsNet: Decimal[];
  vatBreakdownByCategory: CategoryShare[];
}

const InvoiceTotals = builder.objectRef<Preview>('InvoiceTotals').implement({
  description: "The totals of an invoice's lines, rounded as in the invoice itself.",
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    lineTotalsNet: t.expose('lineTotalsNet', {
      type: ['Decimal'],
      description: 'The net total of each line, in order.',
    }),
    totalNet: t.expose('totalNet', { type: 'Decimal', description: 'Sum of the lines.' }),
    totalVat: t.expose('totalVat', { type: 'Decimal', description: 'VAT, once per rate.' }),
    totalGross: t.expose('totalGross', { type: 'Decimal', description: 'The amount to pay.' }),
    vatBreakdown: t.expose('vatBreakdown', { type: [VatShare], description: 'VAT per rate, rates ascending.' }),
    vatBreakdownByCategory: t.expose('vatBreakdownByCategory', {
      type: [VatCategoryShare],
      description: 'VAT per category and rate, rates ascending.',
    }),
  }),
});

builder.queryField('invoiceTotals', (t) =>
  t.field({
    type: InvoiceTotals,
    description: 'Calculates the totals of an invoice with these lines. Nothing is stored.',
    ability: 'invoices:read',
    args: { input: t.arg({ type: InvoiceTotalsInput, required: true }) },
    rules: ({ input }, context, problems) => {
      const { items, currency: named } = input ?? {};
      for (const [index, item] of (items ?? []).entries()) lineRules(item, problems, `input.items.${index}`);
      if (items?.every(isWhole)) totalRules(items, named ?? context.tenant.defaultCurrency, problems);
    },
    resolve: (_root, { input: { items, currency: named } }, { tenant }) => {
      const inCurrency = named ?? tenant.defaultCurrency;
      const totals = invoiceTotals(items, inCurrency);
      const lines = totals.lines.map((line) => ({ ...line, vatCategory: getVatCategory(line), exemptionReason: null }));
      return {
        ...totals,
        currency: inCurrency,
        lineTotalsNet: lines.map(({ lineTotalNet }) => lineTotalNet),
        vatBreakdownByCategory: vatBreakdownByCategory(lines, inCurrency),
      };
    },
  }),
);
