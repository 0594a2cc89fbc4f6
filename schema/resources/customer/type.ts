import { builder } from '../../graphql/builder.ts';
import type { CustomerType as CustomerTypes } from '../../../prisma/generated/client/client.ts';
import { Node } from '../../graphql/node.ts';
import { isVatNumber } from '../../codes/vat-number.ts';
import { RequiredEInvoice } from '../../documents/format-types.ts';

export const CustomerType = builder.enumType('CustomerType', {
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
    metadata: { cost_center: '4711' },
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
    metadata: t.expose('metadata', { type: 'Metadata' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
