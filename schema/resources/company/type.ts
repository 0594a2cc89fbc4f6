import { builder } from '../../graphql/builder.ts';
import { describedEnum } from '../../graphql/described-enum.ts';
import { Node } from '../../graphql/node.ts';
import { DocumentFileType, type DocumentFile } from '../../documents/document-file.ts';
import { findLogo } from '../../documents/logos.ts';
import { RequiredEInvoice } from '../../documents/format-types.ts';

// The company profile. A tenant has one, or none: then its documents say what is known of the tenant.

export const IssueDateOrder = describedEnum(
  'IssueDateOrder',
  'What happens to an invoice or a credit note that is dated before the last issued one whose number is of the same year.',
  { WARN: 'It is issued, with a warning.', REFUSE: 'It is not issued.' },
);

export const Company = builder.prismaObject('Company', {
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id'),
    legalName: t.exposeString('legalName'),
    addressLine1: t.exposeString('addressLine1', { nullable: true }),
    addressLine2: t.exposeString('addressLine2', { nullable: true }),
    postalCode: t.exposeString('postalCode', { nullable: true }),
    city: t.exposeString('city', { nullable: true }),
    country: t.exposeString('country', { nullable: true }),
    vatId: t.exposeString('vatId', { nullable: true }),
    taxNumber: t.exposeString('taxNumber', { nullable: true }),
    registerEntry: t.exposeString('registerEntry', { nullable: true }),
    registrationNumber: t.exposeString('registrationNumber', { nullable: true }),
    registrationNumberScheme: t.exposeString('registrationNumberScheme', { nullable: true }),
    contactName: t.exposeString('contactName', { nullable: true }),
    phone: t.exposeString('phone', { nullable: true }),
    email: t.exposeString('email', { nullable: true }),
    electronicAddress: t.exposeString('electronicAddress', { nullable: true }),
    electronicAddressScheme: t.exposeString('electronicAddressScheme', { nullable: true }),
    iban: t.exposeString('iban', { nullable: true }),
    bic: t.exposeString('bic', { nullable: true }),
    paymentTermsDays: t.exposeInt('paymentTermsDays', { nullable: true }),
    defaultVatRate: t.expose('defaultVatRate', { type: 'Decimal', nullable: true }),
    footer: t.exposeString('footer', { nullable: true }),
    language: t.exposeString('language', { nullable: true }),
    accentColor: t.exposeString('accentColor', { nullable: true }),
    logo: t.field({
      type: DocumentFileType,
      nullable: true,
      description: 'The logo as documents show it, which is a PNG; null without one.',
      select: { logoId: true },
      resolve: async ({ logoId }, _args, context): Promise<DocumentFile | null> => {
        const bytes = await findLogo(context, logoId);
        return bytes && { fileName: 'logo.png', mediaType: 'image/png', bytes };
      },
    }),
    requiredEInvoice: t.expose('requiredEInvoice', { type: RequiredEInvoice, nullable: true }),
    issueDateOrder: t.field({
      type: IssueDateOrder,
      description:
        'Whether an invoice or a credit note can be issued that is dated before the last issued one whose number is of the same year.',
      select: { issueDateOrder: true },
      resolve: ({ issueDateOrder }) => issueDateOrder ?? 'WARN',
    }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
