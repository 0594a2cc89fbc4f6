import { builder } from '../../graphql/builder.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { ownFields } from '../../graphql/input/own-fields.ts';
import { text } from '../../graphql/input/validators.ts';
import { changeRow } from '../../rows/change-row.ts';
import { BankAccount } from './type.ts';

const UpdateBankAccountInput = builder.inputType('UpdateBankAccountInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({ name: t.string({ validate: text(255) }), ...ownFields(t) }),
});

builder.mutationField('updateBankAccount', (t) =>
  t.prismaField({
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
);
