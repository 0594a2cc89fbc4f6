import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { findBreaches } from '../../documents/e-invoice/breaches.ts';
import { found, Problems } from '../../errors/errors.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { CreateInvoiceInput, newDraft } from './mutations.ts';
import { invoiceRules } from './rules.ts';
import { findHomeCurrency } from '../exchange-rate.ts';
import { findTerms } from './parties.ts';
import { findInvoiceWarnings } from './warnings.ts';
import { WarningType } from '../warning.ts';
import { DocumentFileType } from '../../documents/document-file.ts';
import { getOrderWarnings } from '../document/issue-date.ts';
import { buildSource } from '../document/read-source.ts';
import { previewInTime } from '../document/stored-files.ts';
import { EInvoiceFormatType, formatNamed } from '../../documents/format-types.ts';
import { BreachType } from '../document/type.ts';
import { toEInvoice } from '../../documents/to-e-invoice.ts';

// An invoice before it is created: a front end shows what is missing, and how it will look, while the user types.

/** A PDF takes much of a processor's time. A front end that shows one while the user types asks every two seconds. */
export const maxPreviewsPerMinute = 60;

type Input = typeof CreateInvoiceInput.$inferInput;

/**
 * An invoice with this input, the warnings of its date, and its parties. Nothing is stored.
 * @throws ValidationError for a customer who doesn't exist
 */
async function newInvoice(context: Context, { status, ...fields }: Input) {
  const problems = new Problems();
  await requireExisting(context, problems, 'customer', fields.customerId);
  problems.throwIfAny();
  const place = { number: null, day: fields.invoiceDate };
  const { parties, paymentTermsDays, before } = await found(findTerms(context, fields.customerId, place));
  const draft = newDraft(context, {
    ...fields,
    paymentTermsDays,
    currency: fields.currency ?? context.tenant.defaultCurrency,
    ...(fields.exchangeRate && { exchangeCurrency: await findHomeCurrency(context) }),
  });
  const orderWarnings = getOrderWarnings('Invoice', place, before ?? null);
  return { invoice: { ...draft, isPaid: status === 'PAID', orderWarnings }, parties };
}

const buildNewSource = ({ tenant }: Context, { invoice, parties }: Awaited<ReturnType<typeof newInvoice>>) =>
  buildSource(invoice, invoice.items, parties, { test: tenant.test, isPaid: invoice.isPaid });

builder.queryFields((t) => ({
  newInvoicePreflight: t.field({
    type: [BreachType],
    description: 'The rules of a format that an invoice with this input would break. Nothing is stored.',
    ability: 'invoices:read',
    args: {
      input: t.arg({ type: CreateInvoiceInput, required: true }),
      format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }),
    },
    rules: ({ input }, context, problems) => invoiceRules(input ?? {}, context, problems),
    resolve: async (_root, { input, format }, context) => {
      const source = buildNewSource(context, await newInvoice(context, input));
      return findBreaches(toEInvoice(source), formatNamed(format));
    },
  }),
  newInvoiceWarnings: t.field({
    type: [WarningType],
    description:
      'What would be missing or probably wrong in an invoice with this input, if it were issued. Nothing is stored.',
    ability: 'invoices:read',
    args: { input: t.arg({ type: CreateInvoiceInput, required: true }) },
    rules: ({ input }, context, problems) => invoiceRules(input ?? {}, context, problems),
    resolve: async (_root, { input }, context) => {
      const { invoice, parties } = await newInvoice(context, input);
      return findInvoiceWarnings(invoice, parties);
    },
  }),
  newInvoicePdf: t.field({
    type: DocumentFileType,
    description: 'The PDF of an invoice with this input, with a watermark. Nothing is stored.',
    ability: 'invoices:read',
    maxPerMinute: maxPreviewsPerMinute,
    args: { input: t.arg({ type: CreateInvoiceInput, required: true }) },
    rules: ({ input }, context, problems) => invoiceRules(input ?? {}, context, problems),
    resolve: async (_root, { input }, context) => {
      return previewInTime(context, buildNewSource(context, await newInvoice(context, input)));
    },
  }),
}));
