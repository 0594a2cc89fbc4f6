import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { findBreaches } from '../../documents/e-invoice/breaches.ts';
import { Problems } from '../../errors.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { CreateInvoiceInput, newDraft } from './mutations.ts';
import { invoiceRules } from './rules.ts';
import { findPartiesOfDraft } from './parties.ts';
import { findInvoiceWarnings } from './warnings.ts';
import { WarningType } from '../warning.ts';
import { buildSource } from '../document/read-source.ts';
import type { DocumentSource } from '../../documents/document-source.ts';
import { EInvoiceFormatType, formatNamed } from '../../documents/format-types.ts';
import { BreachType } from '../document/type.ts';
import { toEInvoice } from '../../documents/to-e-invoice.ts';

// The preflight of an invoice before it is created: a front end shows what is missing while the user types.

type Input = typeof CreateInvoiceInput.$inferInput;

/** The document that an invoice with this input would be. @throws ValidationError for a customer who doesn't exist */
async function newInvoiceSource(context: Context, { status, ...fields }: Input): Promise<DocumentSource> {
  const problems = new Problems();
  requireExisting(context, problems, 'customer', fields.customerId);
  await problems.runDeferred();
  problems.throwIfAny();
  const draft = newDraft(context, { ...fields, currency: fields.currency ?? context.tenant.defaultCurrency });
  const source = buildSource(draft, draft.items, await findPartiesOfDraft(context, draft.customerId));
  return { ...source, isPaid: status === 'PAID' };
}

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
    resolve: async (_root, { input, format }, context) =>
      findBreaches(toEInvoice(await newInvoiceSource(context, input)), formatNamed(format)),
  }),
  newInvoiceWarnings: t.field({
    type: [WarningType],
    description:
      'What would be missing or probably wrong in an invoice with this input, if it were issued. Nothing is stored.',
    ability: 'invoices:read',
    args: { input: t.arg({ type: CreateInvoiceInput, required: true }) },
    rules: ({ input }, context, problems) => invoiceRules(input ?? {}, context, problems),
    resolve: async (_root, { input }, context) => findInvoiceWarnings(await newInvoiceSource(context, input)),
  }),
}));
