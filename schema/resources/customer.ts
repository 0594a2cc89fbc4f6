import type {
  Customer as CustomerRow,
  CustomerType as CustomerTypes,
  Prisma,
} from '../../prisma/generated/client/client.ts';
import { builder, type InputFields } from '../graphql/builder.ts';
import { isVatNumber } from '../codes/vat-number.ts';
import { RequiredEInvoice } from '../documents/format-types.ts';
import { Node } from '../graphql/node.ts';
import type { Readable } from '../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../graphql/context.ts';
import type { Problems } from '../errors.ts';
import {
  country,
  electronicAddressScheme,
  email,
  given,
  language,
  notNull,
  paymentTermsDays,
  requiredText,
  text,
} from '../graphql/input/validators.ts';
import { changeRow, deleteRow } from '../rows/change-row.ts';
import { byText, orderType } from '../graphql/paging/order.ts';
import { readPage } from '../graphql/paging/page.ts';
import {
  joinConditions,
  containing,
  fold,
  holding,
  holdingFirst,
  searchText,
  wordsIn,
  splitWords,
} from '../graphql/filters/search.ts';
import { schemeRules } from '../graphql/input/schemes.ts';
import { findById } from '../graphql/find-by-id.ts';
import { insertNew } from '../rows/insert-new.ts';
import { idArgument } from '../graphql/input/id-argument.ts';
import { byExternalId, externalIdArgument } from '../graphql/filters/external-id.ts';
import { expectedVersionArgument } from '../graphql/input/expected-version.ts';
import { updatedSince, updatedSinceArgument } from '../graphql/filters/updated-since.ts';

const CustomerType = builder.enumType('CustomerType', {
  description: 'Whether the tenant sells to this partner or buys from it.',
  values: {
    CUSTOMER: { description: 'The tenant sells to this partner.' },
    SUPPLIER: { description: 'The tenant buys from this partner. Receipts can refer to it.' },
  } satisfies Record<CustomerTypes, object>,
});

export const Customer = builder.prismaObject('Customer', {
  interfaces: [Node],
  example: {
    companyName: 'Bäckerei Sonnenschein GmbH',
    email: 'rechnung@sonnenschein.example',
    addressLine1: 'Hauptstraße 12',
    postalCode: '10115',
    city: 'Berlin',
    country: 'DE',
    vatId: 'DE123456789',
    contactName: 'Erika Sonnenschein',
    phone: '+49 30 1234567',
    buyerReference: 'Filiale Mitte',
    electronicAddress: 'DE123456789',
    electronicAddressScheme: '9930',
    language: 'de',
    paymentTermsDays: 30,
    requiredEInvoice: 'XRECHNUNG_CII',
    externalId: null,
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    type: t.expose('type', { type: CustomerType }),
    companyName: t.exposeString('companyName'),
    email: t.exposeString('email', { nullable: true }),
    addressLine1: t.exposeString('addressLine1', { nullable: true }),
    postalCode: t.exposeString('postalCode', { nullable: true }),
    city: t.exposeString('city', { nullable: true }),
    country: t.exposeString('country', { nullable: true }),
    vatId: t.exposeString('vatId', { nullable: true }),
    isVatIdWellFormed: t.boolean({
      nullable: true,
      description: 'Whether the VAT number has the form of its country; null without a VAT number.',
      select: { vatId: true },
      resolve: ({ vatId }) => (vatId === null ? null : isVatNumber(vatId)),
    }),
    contactName: t.exposeString('contactName', { nullable: true }),
    phone: t.exposeString('phone', { nullable: true }),
    buyerReference: t.exposeString('buyerReference', { nullable: true }),
    electronicAddress: t.exposeString('electronicAddress', { nullable: true }),
    electronicAddressScheme: t.exposeString('electronicAddressScheme', { nullable: true }),
    language: t.exposeString('language', { nullable: true }),
    paymentTermsDays: t.exposeInt('paymentTermsDays', { nullable: true }),
    requiredEInvoice: t.expose('requiredEInvoice', { type: RequiredEInvoice, nullable: true }),
    externalId: t.exposeString('externalId', { nullable: true }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const CustomerConnection = builder.connectionObject({ type: Customer, name: 'CustomerConnection' });

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
  }),
});

const order = orderType('Customer', { COMPANY_NAME: byText('companyName', 'The company name.') });

builder.queryFields((t) => ({
  customer: t.prismaField({
    type: Customer,
    description: 'One customer or supplier.',
    ability: 'customers:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Customer', id, query),
  }),
  customers: t.connection(
    {
      type: Customer,
      description: 'The customers and suppliers, newest first.',
      ability: 'customers:read',
      args: {
        type: t.arg({ type: CustomerType, description: 'Only customers, or only suppliers.' }),
        q: t.arg.string({
          description: `${wordsIn} company name, e-mail address, city and VAT number.`,
          validate: searchText,
        }),
        ...externalIdArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first.' }),
        offset: t.arg.int(),
      },
      resolve: (_root, args, context, info) => {
        const where: Prisma.CustomerWhereInput = {
          ...byExternalId(args),
          ...updatedSince(args),
          ...(args.type && { type: args.type }),
          ...joinConditions(containing(args.q)),
        };
        return readPage({ context, info }, 'Customer', args, where, order.columns);
      },
    },
    CustomerConnection,
  ),
}));

/** More ids than this are not put into one statement. */
const maxPartners = 1000;
/** For so many words of a search, partners are looked up first. */
const maxLookups = 5;
/** A partner's searched fields, the company name first: as the migrations' search_text has them. */
const searchedFields = 4;

/** The condition that a partner has this company name, in upper or lower case. It uses the index of searches. */
export const partnerCalled = (name: string): Prisma.CustomerWhereInput => ({
  companyName: { equals: name, mode: 'insensitive' },
  ...holdingFirst(fold(name).replaceAll('\n', ' '), searchedFields),
});

/**
 * The conditions, all of which must hold, under which each word of `q` is in a row's searched fields or its partner's
 * company name; in the row's alone for those who may not read customers. Few partners are looked up first: PostgreSQL
 * serves `byIds` from an index beside other conditions, while `byPartner`, a join, would make it read every row. Where
 * many match, so do many rows, and a page is soon full.
 */
export async function containingOrPartner<Where extends object>(
  q: string | null | undefined,
  context: Context,
  byIds: (ids: string[]) => Where,
  byPartner: (partner: Prisma.CustomerWhereInput) => Where,
): Promise<({ OR: (Where | ReturnType<typeof holding>)[] } | ReturnType<typeof holding>)[]> {
  if (!context.may('customers:read')) return containing(q);
  const ofPartners = async (word: string, at: number): Promise<Where[]> => {
    const where = holdingFirst(word, searchedFields);
    if (at >= maxLookups) return [byPartner(where)];
    const partners = await context.db.customer.findMany({ where, select: { id: true }, take: maxPartners + 1 });
    if (partners.length > maxPartners) return [byPartner(where)];
    return partners.length > 0 ? [byIds(partners.map(({ id }) => id))] : [];
  };
  return Promise.all(
    splitWords(q ?? '').map(async (word, at) => ({ OR: [holding(word), ...(await ofPartners(word, at))] })),
  );
}

type CustomerUpdate = typeof UpdateCustomerInput.$inferInput;

/** The rules of a change. A supplier that receipts refer to stays a supplier. */
async function customerRules(
  input: Readable<CustomerUpdate>,
  context: Context,
  problems: Problems,
  current: CustomerRow,
): Promise<void> {
  schemeRules('electronicAddress', input, problems, 'input.', current);
  if (input.type !== 'CUSTOMER' || current.type !== 'SUPPLIER') return;
  const receipt = await context.db.receipt.findFirst({ where: { supplierId: current.id }, select: { id: true } });
  if (receipt) problems.add('input.type', 'Receipts name this supplier: it can not become a customer.');
}

/** The rows that prevent the deletion of a customer. */
async function customerReferences(context: Context, problems: Problems, { id }: CustomerRow): Promise<void> {
  const where = { customerId: id };
  if (await context.db.invoice.findFirst({ where })) problems.add('id', 'Invoices refer to this customer.');
  if (await context.db.project.findFirst({ where })) problems.add('id', 'Projects refer to this customer.');
  if (await context.db.receipt.findFirst({ where: { supplierId: id } }))
    problems.add('id', 'Receipts refer to this customer.');
}

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
