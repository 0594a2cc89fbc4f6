import { builder, type QueryFields } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { text } from '../../graphql/input/validators.ts';
import type { Rules } from '../../graphql/plugins/authorization-and-validation.ts';
import { ForbiddenError, refuse } from '../../errors/errors.ts';
import { getVatCountrySql, isMemberStateSql, memberStateOfVatNumberSql } from '../../codes/vat-territory.ts';
import { Decimal } from '../../money/money.ts';
import { countDocumentsSql, findDocuments, pageArgs, ReportDocuments } from './documents.ts';
import { checkPeriod, inTexts, periodArgs, type Period } from './period.ts';
import { readManyRows } from '../../rows/read-many-rows.ts';
import { dateByArg, VatDateType } from './vat-report.ts';
import { accrualShares, type VatDate } from './vat-shares.ts';

/** The most rows of a list. */
export const maxRows = 5000;

type Kind = 'GOODS' | 'SERVICES';

const EcSalesKind = builder.enumType('EcSalesKind', {
  description: 'What was supplied to another member state.',
  values: {
    GOODS: { description: 'Supplies within the EU: the VAT category K.' },
    SERVICES: { description: 'Services of which the buyer owes the VAT: the VAT category AE.' },
  } satisfies Record<Kind, object>,
});

interface EcSalesRowOf {
  kind: Kind;
  country: string | null;
  vatNumber: string | null;
  currency: string;
  net: Decimal;
  documents: number;
}

const EcSalesRow = builder.objectRef<EcSalesRowOf>('EcSalesRow').implement({
  description: 'What was supplied to one VAT number, in one currency.',
  fields: (t) => ({
    kind: t.expose('kind', { type: EcSalesKind, description: 'What was supplied.' }),
    country: t.exposeString('country', {
      nullable: true,
      description: 'The buyer’s country for VAT, ISO 3166-1; XI for goods to Northern Ireland; null if unknown.',
    }),
    vatNumber: t.exposeString('vatNumber', {
      nullable: true,
      description: 'As on the invoice, without spaces, dots, and hyphens; null where it has none of a member state.',
    }),
    currency: t.exposeString('currency', {
      description: 'ISO 4217: the home currency, of documents with an exchange rate; else their own.',
    }),
    net: t.expose('net', {
      type: 'Decimal',
      description: 'The net amount: of invoices less credit notes and cash discounts.',
    }),
    documents: t.exposeInt('documents', { description: 'The number of documents.' }),
  }),
});

interface Report extends Period {
  dateBy: VatDate;
  rows: EcSalesRowOf[];
}

const EcSales = builder.objectRef<Report>('EcSales').implement({
  description: 'The EC sales list of a period (§ 18a UStG; Art. 21 (3) of Austria’s UStG, annex).',
  fields: (t) => ({
    from: t.expose('from', { type: 'Date', description: 'The first day.' }),
    to: t.expose('to', { type: 'Date', description: 'The last day.' }),
    dateBy: t.expose('dateBy', { type: VatDateType, description: 'The day on which an invoice counts.' }),
    rows: t.expose('rows', { type: [EcSalesRow], description: 'By country, VAT number, kind, and currency.' }),
  }),
});

/** Northern Ireland is in the EU for goods (vat-territory.ts). */
const isNorthernIrish = String.raw`upper(buyer ->> 'vat_id') ~ '^\s*XI'`;

/**
 * Shares with the kind, the country, and the VAT number of the list. Parties are those of the issued invoice. Goods to an
 * unknown country are shown, because their category says that they belong here.
 * Shares are found first, and the parties of each by their key: how many there are is often guessed wrong.
 * @param tenantCountry the parameter that has it: the seller's, where its profile has none
 */
const buildSales = (dateBy: VatDate, tenantCountry: string): string => `
  with share as materialized (${accrualShares(dateBy)})
  select share.type, share.id, share.number, share.date, share.currency, share.net, share.vat, sale.*
  from share
    cross join lateral (
      select seller, buyer from invoice_parties where tenant_id = $1 and id = share.invoice_id offset 0
    ) as parties
    cross join lateral (select
      coalesce(${getVatCountrySql('parties.seller')}, ${tenantCountry}) as seller_country,
      case when ${isNorthernIrish} then 'XI' else ${getVatCountrySql('buyer')} end as country,
      case when ${isNorthernIrish} or ${memberStateOfVatNumberSql("buyer ->> 'vat_id'")} is not null
        then regexp_replace(upper(buyer ->> 'vat_id'), '[\\s.-]', '', 'g') end as vat_number,
      case share.category when 'K' then 'GOODS' else 'SERVICES' end as kind
    ) as sale
  where share.kind = 'OUTPUT' and share.category in ('K', 'AE') and ${isMemberStateSql('seller_country')}
    and case
      when share.category = 'K' and (sale.country is null or sale.country = 'XI') then true
      else ${isMemberStateSql('sale.country')} and sale.country <> seller_country
    end`;

async function findRows(context: Context, period: Period, dateBy: VatDate): Promise<EcSalesRowOf[]> {
  const rows = await readManyRows<Omit<EcSalesRowOf, 'net'> & { net: string }>(
    context,
    `select kind, country, vat_number as "vatNumber", currency, sum(net)::text as net, ${countDocumentsSql} as documents
     from (${buildSales(dateBy, '$4')}) as sales
     group by kind, country, vat_number, currency
     order by country, vat_number, kind, currency limit ${maxRows + 1}`,
    [...inTexts(period), context.tenant.country],
  );
  if (rows.length > maxRows)
    refuse('to', 'too_many', `There are more than ${maxRows} rows. Ask for a shorter period.`, { max: maxRows });
  return rows.map((row) => ({ ...row, net: new Decimal(row.net) }));
}

const checkReport: Rules<Period> = (period, { may }, problems) => {
  if (!may('customers:read')) throw new ForbiddenError('customers:read');
  checkPeriod(period, problems);
};

const salesArgs = (t: QueryFields) => ({ ...periodArgs(t), dateBy: dateByArg(t) });

builder.queryField('ecSales', (t) =>
  t.field({
    type: EcSales,
    description:
      'The EC sales list of a period: what was supplied to buyers in other member states, by VAT number. Credit notes count on their own dates. Drafts do not. Needs `customers:read`, too.',
    ability: 'invoices:read',
    args: salesArgs(t),
    rules: checkReport,
    resolve: async (_root, { from, to, dateBy: chosen }, context): Promise<Report> => {
      const dateBy = chosen ?? 'SUPPLY';
      return { from, to, dateBy, rows: await findRows(context, { from, to }, dateBy) };
    },
  }),
);

builder.queryField('ecSalesDocuments', (t) =>
  t.field({
    type: ReportDocuments,
    description:
      'The documents of one row of an EC sales list. Their sum is that of the row. Needs `customers:read`, too.',
    ability: 'invoices:read',
    args: {
      ...salesArgs(t),
      kind: t.arg({ type: EcSalesKind, required: true, description: 'The kind of the row.' }),
      country: t.arg.string({ description: 'The country of the row. Default: unknown.', validate: text(2) }),
      vatNumber: t.arg.string({ description: 'The VAT number of the row. Default: none.', validate: text(32) }),
      currency: t.arg.string({ required: true, description: 'The currency of the row.', validate: text(3) }),
      ...pageArgs(t),
    },
    rules: checkReport,
    resolve: (_root, args, context) =>
      findDocuments(
        context,
        `select * from (${buildSales(args.dateBy ?? 'SUPPLY', '$4')}) as sales
         where kind = $5 and currency = $6 and vat_number is not distinct from $7 and country is not distinct from $8`,
        [
          ...inTexts(args),
          context.tenant.country,
          args.kind,
          args.currency,
          args.vatNumber ?? null,
          args.country ?? null,
        ],
        args,
      ),
  }),
);
