import type { Prisma } from '../../prisma/generated/client/client.ts';
import type { Row } from '../../prisma/client.ts';
import { builder } from '../graphql/builder.ts';
import { key, type Context } from '../graphql/context.ts';
import { NotFoundError, refuse, type Problems } from '../errors.ts';
import { expectedVersionArgument } from '../graphql/input/expected-version.ts';
import {
  bic,
  color,
  country,
  electronicAddressScheme,
  email,
  given,
  iban,
  language,
  notNull,
  paymentTermsDays,
  registrationNumberScheme,
  requiredText,
  text,
  vatNumber,
  vatRate,
} from '../graphql/input/validators.ts';
import { schemeRules } from '../graphql/input/schemes.ts';
import { DocumentFileType, type DocumentFile } from '../documents/document-file.ts';
import { RequiredEInvoice } from '../documents/format-types.ts';
import { deleteUnusedLogos, findLogo, lockLogos, makeLogo, storeLogo } from '../documents/logos.ts';
import { Node } from '../graphql/node.ts';
import { findById } from '../graphql/find-by-id.ts';
import { isChanged } from '../rows/is-changed.ts';
import { enforce, requireVersion } from '../rows/locked-row.ts';

// The company profile. A tenant has one, or none: then its documents say what is known of the tenant.

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
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const UpdateCompanyInput = builder.inputType('UpdateCompanyInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({
    legalName: t.string({ validate: requiredText(255), ...notNull }),
    addressLine1: t.string({ validate: text(255) }),
    addressLine2: t.string({ validate: text(255) }),
    postalCode: t.string({ validate: text(20) }),
    city: t.string({ validate: text(255) }),
    country: t.string({ validate: country }),
    vatId: t.string({ validate: vatNumber }),
    taxNumber: t.string({ validate: text(64) }),
    registerEntry: t.string({ validate: text(255) }),
    registrationNumber: t.string({ validate: requiredText(64) }),
    registrationNumberScheme: t.string({ validate: registrationNumberScheme }),
    contactName: t.string({ validate: text(255) }),
    phone: t.string({ validate: text(64) }),
    email: t.string({ validate: email }),
    electronicAddress: t.string({ validate: requiredText(255) }),
    electronicAddressScheme: t.string({ validate: electronicAddressScheme }),
    iban: t.string({ validate: iban }),
    bic: t.string({ validate: bic }),
    paymentTermsDays: t.int({ validate: paymentTermsDays }),
    defaultVatRate: t.field({ type: 'Decimal', validate: vatRate }),
    footer: t.string({ validate: text(2000) }),
    language: t.string({ validate: language }),
    accentColor: t.string({ validate: color }),
    logo: t.field({
      type: 'Upload',
      description:
        'A PNG or an SVG of at most 1 MiB. It is drawn again, as large as documents show it. Null deletes the logo; issued invoices keep theirs.',
    }),
    requiredEInvoice: t.field({ type: RequiredEInvoice }),
  }),
});

/** The tenant's company profile; null where there is none. */
export const findCompany = ({ db }: Pick<Context, 'db'>): Promise<Row<'Company'> | null> =>
  db.company.findFirst({ orderBy: { id: 'asc' } });

builder.queryField('company', (t) =>
  t.prismaField({
    type: Company,
    nullable: true,
    description: "The tenant's company profile; null until there is one.",
    ability: 'company:read',
    resolve: async (query, _root, _args, context) => {
      const company = await findCompany(context);
      return company && findById(context, 'Company', company, query);
    },
  }),
);

builder.mutationField('updateCompany', (t) =>
  t.prismaField({
    type: Company,
    description: "Changes the tenant's company profile. The first change makes it, and needs the legal name.",
    ability: 'company:write',
    args: { input: t.arg({ type: UpdateCompanyInput, required: true }), ...expectedVersionArgument },
    rules: ({ input }, context, problems) =>
      problems.defer(async () => companyRules(input ?? {}, problems, await findCompany(context))),
    resolve: async (query, _root, { input: { logo, ...input }, expectedVersion }, context) => {
      const png = logo && (await makeLogo(context, logo, 'input.logo'));
      return context.transaction(async (inside) => {
        if (logo !== undefined) await lockLogos(inside);
        const logoId = png && (await storeLogo(inside, png));
        const company = await saveCompany(
          inside,
          { ...input, legalName: given(input.legalName), logoId },
          expectedVersion,
        );
        if (logo !== undefined) await deleteUnusedLogos(inside, company);
        return findById(inside, 'Company', company, query);
      });
    },
  }),
);

type Identifiers = Partial<
  Pick<
    Row<'Company'>,
    'electronicAddress' | 'electronicAddressScheme' | 'registrationNumber' | 'registrationNumberScheme'
  >
>;

function companyRules(input: Identifiers, problems: Problems, current: Identifiers | null): void {
  schemeRules('electronicAddress', input, problems, 'input.', current);
  schemeRules('registrationNumber', input, problems, 'input.', current);
}

type CompanyFields = Prisma.CompanyUncheckedUpdateInput & Identifiers & { legalName?: string | undefined };

async function saveCompany(
  context: Context,
  fields: CompanyFields,
  expectedVersion: number | null | undefined,
): Promise<Row<'Company'>> {
  const { db } = context;
  const known = await findCompany(context);
  const current = known && (await db.lock('Company', known.id, 'no key update'));
  await enforce((problems) => companyRules(fields, problems, current));
  if (!current) return createCompany(context, fields, expectedVersion);
  requireVersion(current, expectedVersion);
  return isChanged(current, fields) ? db.company.update({ where: key(context, current.id), data: fields }) : current;
}

/** Makes the profile. Where another request makes it at the same time, the later one changes it. */
async function createCompany(
  { db, tenant }: Context,
  { legalName, ...data }: CompanyFields,
  expectedVersion: number | null | undefined,
): Promise<Row<'Company'>> {
  if (expectedVersion != null) throw new NotFoundError();
  if (legalName === undefined) refuse('input.legalName', 'Required.');
  const fields = { ...data, legalName } as Prisma.CompanyUncheckedCreateInput;
  // Not an upsert, which would cast a value to an enumeration in its update. Citus refuses that.
  const { count } = await db.company.createMany({ data: [fields], skipDuplicates: true });
  const where = { tenantId: tenant.id };
  return count === 1 ? db.company.findUniqueOrThrow({ where }) : db.company.update({ where, data: fields });
}
