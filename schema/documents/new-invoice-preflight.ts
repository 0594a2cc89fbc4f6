import { builder } from '../builder.ts';
import { breachesOf } from '../e-invoice/breaches.ts';
import { Problems } from '../errors.ts';
import { requireExisting } from '../input/references.ts';
import { CreateInvoiceInput, invoiceRules, newDraft } from '../resources/invoice/mutations.ts';
import { partiesOf } from '../resources/invoice/parties.ts';
import { sourceOf } from './document-source.ts';
import { EInvoiceFormatType, formatNamed } from './format-types.ts';
import { BreachType } from './queries.ts';
import { toEInvoice } from './to-e-invoice.ts';

// The preflight of an invoice before it is created: a front end shows what is missing while the user types.

builder.queryField('newInvoicePreflight', (t) =>
  t.field({
    type: [BreachType],
    description: 'The rules of a format that an invoice with this input would break. Nothing is stored.',
    ability: 'invoices:read',
    args: {
      input: t.arg({ type: CreateInvoiceInput, required: true }),
      format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }),
    },
    rules: ({ input }, context, problems) => invoiceRules(input ?? {}, context, problems),
    resolve: async (_root, { input, format }, context) => {
      const problems = new Problems();
      requireExisting(context, problems, 'customer', input.customerId);
      await problems.runDeferred();
      problems.throwIfAny();
      const { status: _status, ...fields } = input;
      const draft = newDraft(context, { ...fields, currency: input.currency ?? context.tenant.defaultCurrency });
      const source = sourceOf(draft, draft.items, await partiesOf(context, draft));
      return breachesOf(toEInvoice(source), formatNamed(format));
    },
  }),
);
