import { CustomerType, Customer } from './type.ts';
import { customerRules, customerReferences } from './rules.ts';
import { type InputFields, builder } from '../../graphql/builder.ts';
import {
  email,
  text,
  country,
  requiredText,
  electronicAddressScheme,
  language,
  paymentTermsDays,
  notNull,
  given,
} from '../../graphql/input/validators.ts';
import { RequiredEInvoice } from '../../documents/format-types.ts';
import { schemeRules } from '../../graphql/input/schemes.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { newOwnFields, ownFields } from '../../graphql/input/own-fields.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';

const contactFields = (t: InputFields) => ({
  email: t.string({ validate: email }),
  addressLine1: t.string({ validate: text(255) }),
  postalCode: t.string({ validate: text(20) }),
  city: t.string({ validate: text(255) }),
  country: t.string({ validate: country }),
  // Any text: version 1 of REST has promised it (DECISIONS.md#d91-vat-numbers).
  vatId: t.string({ validate: text(32) }),
  contactName: t.string({ validate: text(255) }),
  phone: t.string({ validate: text(64) }),
  buyerReference: t.string({ validate: text(255) }),
  electronicAddress: t.string({ validate: requiredText(255) }),
  electronicAddressScheme: t.string({ validate: electronicAddressScheme }),
  language: t.string({ validate: language }),
  paymentTermsDays: t.int({ validate: paymentTermsDays }),
  requiredEInvoice: t.field({ type: RequiredEInvoice }),
});

const CreateCustomerInput = builder.inputType('CreateCustomerInput', {
  description: 'A new customer or supplier.',
  fields: (t) => ({
    type: t.field({ type: CustomerType, required: true }),
    companyName: t.string({ required: true, validate: requiredText(255) }),
    ...contactFields(t),
    ...newOwnFields(t),
  }),
});

const UpdateCustomerInput = builder.inputType('UpdateCustomerInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({
    type: t.field({
      type: CustomerType,
      description: 'A supplier that receipts refer to stays a supplier.',
      ...notNull,
    }),
    companyName: t.string({ validate: requiredText(255), ...notNull }),
    ...contactFields(t),
    ...ownFields(t),
  }),
});

export type CustomerUpdate = typeof UpdateCustomerInput.$inferInput;

builder.mutationFields((t) => ({
  createCustomer: t.prismaField({
    type: Customer,
    description: 'Adds a customer or supplier.',
    ability: 'customers:write',
    args: { input: t.arg({ type: CreateCustomerInput, required: true }) },
    rules: ({ input }, _context, problems) => schemeRules('electronicAddress', input ?? {}, problems, 'input.'),
    resolve: async (query, _root, { input }, context) => {
      const customer = context.db.row('Customer', input);
      return insertNew(context, 'Customer', customer, {
        rows: { Customer: [customer] },
        events: [['customer.created', customer]],
        query,
      });
    },
  }),

  updateCustomer: t.prismaField({
    type: Customer,
    description: 'Changes a customer or supplier.',
    ability: 'customers:write',
    args: { ...idArgument, input: t.arg({ type: UpdateCustomerInput, required: true }), ...expectedVersionArgument },
    ...changeRow('Customer', {
      // Receipts depend on the type of their supplier.
      lock: ({ type }) => (type === 'CUSTOMER' ? 'update' : 'no key update'),
      rules: customerRules,
      data: (input: CustomerUpdate) => ({
        ...input,
        type: given(input.type),
        companyName: given(input.companyName),
      }),
      event: 'customer.updated',
    }),
  }),

  deleteCustomer: t.prismaField({
    type: Customer,
    description: 'Deletes a customer or supplier. Refused while invoices, projects or receipts refer to it.',
    ability: 'customers:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...deleteRow('Customer', { rules: customerReferences, event: 'customer.deleted' }),
  }),
}));
