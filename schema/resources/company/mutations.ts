import { Company, IssueDateOrder } from './type.ts';
import { companyRules, type Identifiers } from './rules.ts';
import { findCompany } from './queries.ts';
import { builder } from '../../graphql/builder.ts';
import {
  requiredText,
  notNull,
  text,
  country,
  vatNumber,
  registrationNumberScheme,
  email,
  electronicAddressScheme,
  iban,
  bic,
  paymentTermsDays,
  vatRate,
  language,
  color,
  given,
} from '../../graphql/input/validators.ts';
import { RequiredEInvoice } from '../../documents/format-types.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { makeLogo, lockLogos, storeLogo, deleteUnusedLogos } from '../../documents/logos.ts';
import { findById } from '../../graphql/find-by-id.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { type Context, key } from '../../graphql/context.ts';
import type { Row } from '../../../prisma/client.ts';
import { enforce, requireVersion } from '../../rows/locked-row.ts';
import { isChanged } from '../../rows/is-changed.ts';
import { NotFoundError, refuse } from '../../errors/errors.ts';

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
    issueDateOrder: t.field({
      type: IssueDateOrder,
      description:
        'Whether an invoice or a credit note can be issued that is dated before the last issued one whose number is of the same year. Default: WARN.',
      ...notNull,
    }),
  }),
});

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
          { ...input, legalName: given(input.legalName), issueDateOrder: given(input.issueDateOrder), logoId },
          expectedVersion,
        );
        if (logo !== undefined) await deleteUnusedLogos(inside, company);
        return findById(inside, 'Company', company, query);
      });
    },
  }),
);

type CompanyFields = Prisma.CompanyUncheckedUpdateInput & Identifiers & { legalName?: string | undefined };

// changeRow() isn't for the profile: there may be none, it has no events, and its rules come before its version.

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
  if (legalName === undefined) refuse('input.legalName', 'required', 'Required.');
  const fields = { ...data, legalName } as Prisma.CompanyUncheckedCreateInput;
  // Not an upsert, which would cast a value to an enumeration in its update. Citus refuses that.
  const { count } = await db.company.createMany({ data: [fields], skipDuplicates: true });
  const where = { tenantId: tenant.id };
  return count === 1 ? db.company.findUniqueOrThrow({ where }) : db.company.update({ where, data: fields });
}
