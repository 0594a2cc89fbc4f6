import { refuse, requireAbilities } from '../errors/errors.ts';
import { builder } from '../graphql/builder.ts';
import { key, today, type Context } from '../graphql/context.ts';
import { findById } from '../graphql/find-by-id.ts';
import { currency as currencyCode, decimal, given, iban, requiredText, text } from '../graphql/input/validators.ts';
import { requireTestTenant } from '../identity/test-only.ts';
import { Decimal } from '../money/money.ts';
import { BankTransaction } from '../resources/bank-transaction/type.ts';
import { computeAmountDue } from '../resources/invoice/balance.ts';
import { importTransaction } from './import-statement.ts';

// Payments that no bank has made, in a test tenant. They come as those of an imported statement do, and are matched like them.

/** An account at no bank, for a tenant that has named none: the example of the IBAN registry. */
const exampleIban = 'DE89370400440532013000';

const SimulateBankTransactionInput = builder.inputType('SimulateBankTransactionInput', {
  description: 'A transaction of a bank account.',
  example: {
    invoiceId: '01890a5d-ac96-774b-bcce-b302099a8057',
    amount: '904.4',
    currency: 'EUR',
    accountIban: 'DE02120300000000202051',
    reference: '2026-0001',
    counterpartyName: 'Nordlicht Verlag',
    counterpartyIban: 'DE89370400440532013000',
  },
  fields: (t) => ({
    invoiceId: t.field({
      type: 'UUID',
      description:
        'An issued invoice that the transaction pays: the other fields follow from it, unless they are given. Needs the ability to read invoices.',
    }),
    amount: t.field({
      type: 'Decimal',
      description:
        "Positive for money received, negative for money sent. Default: the invoice's amount due; less is a partial payment, and more pays too much.",
      validate: decimal({ decimals: 4, nonZero: true }),
    }),
    currency: t.string({
      description: "ISO 4217. Default: that of the invoice, or the tenant's.",
      validate: currencyCode,
    }),
    accountIban: t.string({
      description: "The tenant's account. Default: that of the company profile.",
      validate: iban,
    }),
    reference: t.string({
      description: "The purpose, as the payer wrote it. Default: the invoice's number.",
      validate: requiredText(1000),
    }),
    counterpartyName: t.string({
      description: 'Who paid, or was paid. Default: the customer of the invoice.',
      validate: text(255),
    }),
    counterpartyIban: t.string({ description: 'Their account.', validate: iban }),
  }),
});

type Input = typeof SimulateBankTransactionInput.$inferInput;

/** The values that follow from the invoice that is paid. */
async function describeInvoice(context: Context, id: string, amount: Decimal | undefined) {
  const invoice = await context.db.invoice.findUnique({ where: key(context, id), include: { customer: true } });
  if (!invoice) refuse('input.invoiceId', 'not_found', 'There is no such invoice.');
  if (!invoice.number) refuse('input.invoiceId', 'wrong_state', 'Only an issued invoice can be paid.');
  const due = computeAmountDue(invoice);
  if (!amount && due.isZero())
    refuse('input.invoiceId', 'nothing_left', 'Nothing is due of this invoice: name an amount.');
  const { currency, number: reference, customer } = invoice;
  return { amount: due, currency, reference, counterpartyName: customer.companyName };
}

async function findOwnIban({ db }: Context): Promise<string> {
  const company = await db.company.findFirst({ select: { iban: true } });
  return company?.iban ?? exampleIban;
}

async function simulate(context: Context, { invoiceId, ...input }: Input): Promise<string> {
  const amount = given(input.amount);
  const paid = invoiceId ? await describeInvoice(context, invoiceId, amount) : undefined;
  const value = amount ?? paid?.amount;
  if (!value) refuse('input.amount', 'required', 'Required without an invoice.');
  const bookingDate = today(context);
  return importTransaction(context, {
    accountIban: input.accountIban ?? (await findOwnIban(context)),
    bookingDate,
    valueDate: bookingDate,
    amount: value,
    currency: input.currency ?? paid?.currency ?? context.tenant.defaultCurrency,
    externalId: null,
    counterpartyName: input.counterpartyName ?? paid?.counterpartyName ?? null,
    counterpartyIban: input.counterpartyIban ?? null,
    reference: input.reference ?? paid?.reference ?? null,
  });
}

builder.mutationField('simulateBankTransaction', (t) =>
  t.prismaField({
    type: BankTransaction,
    description:
      "Adds a transaction to a bank account of this tenant, a test tenant, as a line of an imported statement: booked today by the tenant's clock, and matched if it certainly pays an invoice or receipt.",
    ability: 'bank-transactions:write',
    extensions: { hasOwnTransaction: true }, // as an import
    args: { input: t.arg({ type: SimulateBankTransactionInput, required: true }) },
    rules: ({ input }, context) => {
      requireTestTenant(context);
      if (input?.invoiceId) requireAbilities(context, ['invoices:read']);
    },
    resolve: async (query, _root, { input }, context) => {
      const identity = await simulate(context, input);
      const { id } = await context.db.bankTransaction.findFirstOrThrow({ where: { identity }, select: { id: true } });
      return findById(context, 'BankTransaction', id, query);
    },
  }),
);
