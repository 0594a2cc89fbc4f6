import { builder } from '../../graphql/builder.ts';
import { key } from '../../graphql/context.ts';
import { refuse } from '../../errors/errors.ts';
import type { Decimal } from '../../money/money.ts';
import { computeAmountDue, computeAmountToRefund } from '../invoice/balance.ts';
import { VatCategoryShare, VatShare } from '../vat-share.ts';
import { CreateCreditNoteInput } from './mutations.ts';
import { planAllowedCredit } from './new-credit-note.ts';
import type { CreditTotals } from './remainder.ts';
import { sharesByRate } from './vat-breakdown.ts';

// A credit note before it is created: a front end shows it while the user chooses, and needs no arithmetic of its own.

interface Preview extends CreditTotals {
  currency: string;
  lineTotalsNet: Decimal[];
  amountDue: Decimal;
  amountToRefund: Decimal;
}

const CreditNotePreview = builder.objectRef<Preview>('CreditNotePreview').implement({
  description: 'The totals of a credit note that is not created yet, and the invoice after it.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'The currency of the invoice, ISO 4217.' }),
    lineTotalsNet: t.expose('lineTotalsNet', {
      type: ['Decimal'],
      description: 'The net total of each line: items, then amounts, in order; of all that is left, by position.',
    }),
    totalNet: t.expose('totalNet', { type: 'Decimal', description: 'Sum of the lines.' }),
    totalVat: t.expose('totalVat', { type: 'Decimal', description: 'Sum of the VAT.' }),
    totalGross: t.expose('totalGross', { type: 'Decimal', description: 'The credited amount.' }),
    vatBreakdown: t.field({
      type: [VatShare],
      description: 'VAT per rate, rates ascending.',
      resolve: ({ shares }) => sharesByRate(shares),
    }),
    vatBreakdownByCategory: t.expose('shares', {
      type: [VatCategoryShare],
      description: 'VAT per category and rate, rates ascending.',
    }),
    amountDue: t.expose('amountDue', {
      type: 'Decimal',
      description: 'The amount of the invoice that is still to pay after the credit note.',
    }),
    amountToRefund: t.expose('amountToRefund', {
      type: 'Decimal',
      description: 'The amount of the invoice that is to refund after the credit note.',
    }),
  }),
});

builder.queryField('creditNotePreview', (t) =>
  t.field({
    type: CreditNotePreview,
    description: 'Calculates a credit note. Nothing is stored, and no number is taken.',
    ability: 'invoices:read',
    args: { input: t.arg({ type: CreateCreditNoteInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const invoice = await context.db.invoice.findUnique({ where: key(context, input.invoiceId) });
      if (!invoice) refuse('input.invoiceId', 'not_found', 'There is no such invoice.');
      const taken = await planAllowedCredit(context, invoice, input);
      const after = { ...invoice, amountCredited: taken.totalGross.plus(invoice.amountCredited.toFixed()) };
      return {
        ...taken,
        currency: invoice.currency,
        lineTotalsNet: taken.lines.map(({ lineTotalNet }) => lineTotalNet),
        amountDue: computeAmountDue(after),
        amountToRefund: computeAmountToRefund(after),
      };
    },
  }),
);
