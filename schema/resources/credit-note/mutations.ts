import { builder } from '../../graphql/builder.ts';
import { key } from '../../graphql/context.ts';
import { enforceCreditNoteFormat } from './rules.ts';
import { refuse } from '../../errors/errors.ts';
import { newOwnFields } from '../../graphql/input/own-fields.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { count, decimal, text, vatCategory, vatRate } from '../../graphql/input/validators.ts';
import { maxItems } from '../invoice/mutations.ts';
import { credit } from '../invoice/transitions.ts';
import { CreditNote } from './type.ts';
import { newCreditNote, planAllowedCredit, planCredit } from './new-credit-note.ts';

const CreditNoteItemInput = builder.inputType('CreditNoteItemInput', {
  description: 'A quantity of a line of the invoice.',
  fields: (t) => ({
    invoiceItemId: t.field({ type: 'UUID', required: true, description: 'The id of the line.' }),
    quantity: t.field({
      type: 'Decimal',
      required: true,
      description: 'Has the sign of the quantity of the line, and is at most what is left of it.',
      validate: decimal({ decimals: 4, nonZero: true }),
    }),
  }),
});

const CreditNoteAmountInput = builder.inputType('CreditNoteAmountInput', {
  description: 'A net amount of the lines of the invoice with one VAT rate.',
  example: { vatRate: '19', vatCategory: 'S', net: '10' },
  fields: (t) => ({
    vatRate: t.field({ type: 'Decimal', required: true, description: 'Per cent.', validate: vatRate }),
    vatCategory: t.string({
      description: 'Needed where the invoice has several categories with this rate.',
      validate: vatCategory,
    }),
    net: t.field({
      type: 'Decimal',
      required: true,
      description: 'At most what is left of the net sum of these lines.',
      validate: decimal({ nonZero: true }),
    }),
  }),
});

export const CreateCreditNoteInput = builder.inputType('CreateCreditNoteInput', {
  description: 'A new credit note. Without items and amounts, it takes back all that is left of the invoice.',
  fields: (t) => ({
    invoiceId: t.field({ type: 'UUID', required: true, description: 'An issued or paid invoice.' }),
    reason: t.string({ validate: text(255) }),
    creditNoteDate: t.field({
      type: 'Date',
      description: "Not before the invoice date. Default: the tenant's today, or the invoice date if that is later.",
    }),
    items: t.field({
      type: [CreditNoteItemInput],
      description: 'The lines to take back, each at most once.',
      validate: count(1, maxItems, 'items'),
    }),
    amounts: t.field({
      type: [CreditNoteAmountInput],
      description: 'Net amounts to take back, at most one for each VAT category and rate.',
      validate: count(1, maxItems, 'amounts'),
    }),
    ...newOwnFields(t),
  }),
});

builder.mutationFields((t) => ({
  createCreditNote: t.prismaField({
    type: CreditNote,
    description:
      'Issues a credit note: it takes back all or part of an issued or paid invoice, and reduces what is due of it. It never changes.',
    ability: 'invoices:write',
    args: { input: t.arg({ type: CreateCreditNoteInput, required: true }) },
    rules: ({ input }, context, problems) => {
      const { invoiceId } = input ?? {};
      problems.defer(() => requireExisting(context, problems, 'invoice', invoiceId));
      problems.defer(async () => {
        const invoice = invoiceId && (await context.db.invoice.findUnique({ where: key(context, invoiceId) }));
        if (invoice) await planCredit(context, invoice, input ?? {}, problems);
      });
    },
    resolve: (query, _root, { input }, context) =>
      context.transaction(async (inside) => {
        const invoice = await inside.db.lock('Invoice', input.invoiceId, 'no key update');
        if (!invoice) refuse('input.invoiceId', 'not_found', 'There is no such invoice.');
        const taken = await planAllowedCredit(inside, invoice, input);
        const creditNote = await newCreditNote(inside, invoice, input, taken);
        await enforceCreditNoteFormat(inside, creditNote, invoice);
        return credit(inside, invoice, creditNote, query);
      }),
  }),
}));
