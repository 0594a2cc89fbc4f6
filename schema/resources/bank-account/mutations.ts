import { builder } from '../../graphql/builder.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { newOwnFields, ownFields } from '../../graphql/input/own-fields.ts';
import { accountNumber, currency, text } from '../../graphql/input/validators.ts';
import { refuse, type Problem } from '../../errors/errors.ts';
import { emit } from '../../events/events.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { changeRow } from '../../rows/change-row.ts';
import { BankAccount } from './type.ts';

const taken: Problem = ['taken', 'There is a bank account with this IBAN and currency.'];

const name = text(255);

const CreateBankAccountInput = builder.inputType('CreateBankAccountInput', {
  description: 'A new bank account.',
  fields: (t) => ({
    iban: t.string({ required: true, validate: accountNumber }),
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    name: t.string({ validate: name }),
    ...newOwnFields(t),
  }),
});

const UpdateBankAccountInput = builder.inputType('UpdateBankAccountInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({ name: t.string({ validate: name }), ...ownFields(t) }),
});

builder.mutationFields((t) => ({
  createBankAccount: t.prismaField({
    type: BankAccount,
    description: 'Adds a bank account. An import of its first statement does it, too.',
    ability: 'bank-transactions:write',
    args: { input: t.arg({ type: CreateBankAccountInput, required: true }) },
    rules: ({ input }, context, problems) => {
      const iban = input?.iban;
      if (iban === undefined) return;
      const where = { iban, currency: input?.currency ?? context.tenant.defaultCurrency };
      problems.defer(async () => {
        if ((await context.db.bankAccount.count({ where })) > 0) problems.add('input.iban', ...taken);
      });
    },
    resolve: (query, _root, { input }, context) =>
      context.transaction(async (inside) => {
        const inCurrency = input.currency ?? context.tenant.defaultCurrency;
        const account = inside.db.row('BankAccount', { ...input, currency: inCurrency });
        // An import may have added it meanwhile.
        const written = await inside.db.insertNew('BankAccount', [account], ['iban', 'currency']);
        if (written.size === 0) refuse('input.iban', ...taken);
        await emit(inside, 'bank_account.created', account);
        return findById(inside, 'BankAccount', account, query);
      }),
  }),

  updateBankAccount: t.prismaField({
    type: BankAccount,
    description: 'Changes the name of a bank account, its external id, or its metadata.',
    ability: 'bank-transactions:write',
    args: { ...idArgument, input: t.arg({ type: UpdateBankAccountInput, required: true }), ...expectedVersionArgument },
    ...changeRow('BankAccount', {
      rules: () => {},
      data: (input: typeof UpdateBankAccountInput.$inferInput) => ({ ...input }),
      event: 'bank_account.updated',
    }),
  }),
}));
