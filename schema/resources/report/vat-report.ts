import { builder, type QueryFields } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { receiptVatCategory, text, vatRate } from '../../graphql/input/validators.ts';
import type { Rules } from '../../graphql/plugins/authorization-and-validation.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import { ForbiddenError, refuse } from '../../errors/errors.ts';
import { Decimal } from '../../money/money.ts';
import {
  countDocumentsSql,
  documentFields,
  findDocuments,
  pageArgs,
  type Documents,
  type DocumentShare,
} from './documents.ts';
import { checkPeriod, inTexts, maxRows, periodArgs, type Period } from './period.ts';
import { readManyRows } from '../../rows/read-many-rows.ts';
import { findVatBox, isAlwaysPlaced, placedShares, type PartnerPlace, type VatKind as Kind } from './vat-boxes.ts';
import { accrualShares, cashShares, type VatDate } from './vat-shares.ts';

type Basis = 'ACCRUAL' | 'CASH';

interface VatPeriod extends Period {
  basis: Basis;
  dateBy: VatDate;
}

interface RowOfReport {
  kind: Kind;
  category: string;
  rate: Decimal;
  currency: string;
  /** Of the supplier, or of the customer. */
  place: PartnerPlace | null;
  net: Decimal;
  vat: Decimal;
  documents: number;
  netBox: string | null;
  vatBox: string | null;
}

const VatBasis = builder.enumType('VatBasis', {
  description: 'When VAT counts.',
  values: {
    ACCRUAL: { description: 'When it is owed: by the dates of documents (§ 16 UStG).' },
    CASH: { description: 'When it is paid: by the days of payments (§ 20 UStG; § 17 of Austria’s UStG).' },
  } satisfies Record<Basis, object>,
});

export const VatDateType = builder.enumType('VatDate', {
  description: 'The day on which an invoice counts, on the accrual basis.',
  values: {
    SUPPLY: {
      description:
        'The day of supply: its delivery date, else the end of its last service period, else the invoice date.',
    },
    DOCUMENT: { description: 'The invoice date.' },
  } satisfies Record<VatDate, object>,
});

const VatKind = builder.enumType('VatKind', {
  description: 'Who owes the VAT.',
  values: {
    OUTPUT: { description: 'VAT of invoices and credit notes, which the tenant owes.' },
    REVERSE_CHARGE: {
      description: 'VAT of receipts that the tenant owes instead of the supplier: the VAT category AE.',
    },
    ACQUISITION: { description: 'VAT of acquisitions within the EU, which the tenant owes: the VAT category K.' },
    INPUT: { description: 'VAT of receipts that can be deducted: paid to suppliers, or owed instead of them.' },
    IMPORT: { description: 'VAT of imports that can be deducted: paid to the customs.' },
  } satisfies Record<Kind, object>,
});

const VatSupplierPlace = builder.enumType('VatSupplierPlace', {
  description:
    'Where the supplier was for VAT when the receipt was booked: by a VAT number of a member state, else by the address.',
  values: {
    DOMESTIC: { description: 'In the tenant’s country.' },
    MEMBER_STATE: { description: 'In another member state of the EU.' },
    THIRD_COUNTRY: { description: 'Outside the EU.' },
    UNKNOWN: {
      description: 'Nothing says where: the receipt has no supplier, or the supplier no country. It has no box.',
    },
  } satisfies Record<PartnerPlace, object>,
});

const VatCustomerPlace = builder.enumType('VatCustomerPlace', {
  description:
    'Where the customer was for VAT when the invoice was issued: by a VAT number of a member state, else by the address.',
  values: {
    DOMESTIC: { description: 'In the tenant’s country.' },
    MEMBER_STATE: { description: 'In another member state of the EU.' },
    THIRD_COUNTRY: { description: 'Outside the EU.' },
    UNKNOWN: { description: 'Nothing says where: the customer has no country. It has no box.' },
  } satisfies Record<PartnerPlace, object>,
});

const VatReportRow = builder.objectRef<RowOfReport>('VatReportRow').implement({
  description: 'The net amount and the VAT of one kind, category, rate, currency, and place of customers or suppliers.',
  fields: (t) => ({
    kind: t.expose('kind', { type: VatKind, description: 'Who owes the VAT.' }),
    vatCategory: t.exposeString('category', {
      description: 'S, Z, E, AE, K, G, or O; of import VAT, IMPORT.',
    }),
    vatRate: t.expose('rate', { type: 'Decimal', description: 'Per cent.' }),
    currency: t.exposeString('currency', {
      description: 'ISO 4217: the home currency, of documents with an exchange rate; else their own.',
    }),
    supplierPlace: t.field({
      type: VatSupplierPlace,
      nullable: true,
      resolve: ({ kind, place }) => (kind === 'OUTPUT' ? null : place),
      description:
        'Where the suppliers were; null where the boxes don’t depend on it, and of input VAT that isn’t known to be another country’s.',
    }),
    customerPlace: t.field({
      type: VatCustomerPlace,
      nullable: true,
      resolve: ({ kind, place }) => (kind === 'OUTPUT' ? place : null),
      description:
        'Where the customers were who owe the VAT instead, in the category AE; null where the boxes don’t depend on it.',
    }),
    net: t.expose('net', {
      type: 'Decimal',
      description: 'The net amount: of invoices less credit notes and cash discounts.',
    }),
    vat: t.expose('vat', {
      type: 'Decimal',
      description: 'The VAT on it, as the documents state it, or as the tenant owes it; of it, what can be deducted.',
    }),
    documents: t.exposeInt('documents', { description: 'The number of documents.' }),
    netBox: t.exposeString('netBox', {
      nullable: true,
      description: 'The box of the VAT return for the net amount, in Germany and Austria; null where it has none.',
    }),
    vatBox: t.exposeString('vatBox', { nullable: true, description: 'The same for the VAT.' }),
  }),
});

interface Report extends VatPeriod {
  rows: RowOfReport[];
}

const VatReport = builder.objectRef<Report>('VatReport').implement({
  description: 'VAT of a period, from the documents and payments.',
  fields: (t) => ({
    from: t.expose('from', { type: 'Date', description: 'The first day.' }),
    to: t.expose('to', { type: 'Date', description: 'The last day.' }),
    basis: t.expose('basis', { type: VatBasis, description: 'When VAT counts.' }),
    dateBy: t.expose('dateBy', { type: VatDateType, description: 'The day on which an invoice counts.' }),
    rows: t.expose('rows', {
      type: [VatReportRow],
      description: 'By kind, category, rate, currency, and place of customers or suppliers.',
    }),
  }),
});

const VatReportDocument = builder.objectRef<DocumentShare>('VatReportDocument').implement({
  description: 'What one document adds to a row of a VAT report.',
  fields: (t) => ({
    ...documentFields(t),
    vat: t.expose('vat', { type: 'Decimal', description: 'The VAT on it.' }),
  }),
});

const VatReportDocuments = builder.objectRef<Documents>('VatReportDocuments').implement({
  description: 'The documents of one row of a VAT report.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many they are in all.' }),
    items: t.expose('items', { type: [VatReportDocument], description: 'As many as were asked for, by date.' }),
  }),
});

const checkReport: Rules<Period> = (period, { may }, problems) => {
  if (!may('receipts:read')) throw new ForbiddenError('receipts:read');
  checkPeriod(period, problems);
};

/** Input VAT counts when a receipt is dated in Germany, whatever the basis (§ 15 UStG); elsewhere when it is paid to the supplier. */
const buildShares = ({ tenant }: Context, { basis, dateBy }: Pick<VatPeriod, 'basis' | 'dateBy'>): string =>
  basis === 'ACCRUAL'
    ? accrualShares(dateBy)
    : cashShares(tenant.country === 'DE' ? 'DOCUMENT' : 'PAYMENT_OF_STATED_VAT');

/** With the place of the customer or supplier, where a box depends on it. */
const buildPlacedShares = (context: Context, period: Omit<VatPeriod, 'from'>): string =>
  placedShares(buildShares(context, period), context.tenant.country, formatDay(period.to));

interface SumRow {
  kind: Kind;
  category: string;
  rate: string;
  currency: string;
  place: PartnerPlace | null;
  net: string;
  vat: string;
  documents: number;
}

async function findRows(context: Context, period: VatPeriod): Promise<RowOfReport[]> {
  const country = context.tenant.country;
  const rows = await readManyRows<SumRow>(
    context,
    `select kind, category, rate::text, currency, place, sum(net)::text as net, sum(vat)::text as vat,
       ${countDocumentsSql} as documents
     from (${buildPlacedShares(context, period)}) as shares
     group by kind, category, shares.rate, currency, place
     order by array_position(array['OUTPUT', 'REVERSE_CHARGE', 'ACQUISITION', 'INPUT', 'IMPORT'], kind), category, shares.rate desc, currency, place limit ${maxRows + 1}`,
    inTexts(period),
  );
  if (rows.length > maxRows)
    refuse('to', 'too_many', `There are more than ${maxRows} rows. Ask for a shorter period.`, { max: maxRows });
  return rows.map(({ rate, net, vat, ...row }) => {
    const plainRate = new Decimal(rate);
    const box = findVatBox(country, formatDay(period.to), { ...row, rate: plainRate.toFixed() });
    return {
      ...row,
      rate: plainRate,
      net: new Decimal(net),
      vat: new Decimal(vat),
      netBox: box?.net ?? null,
      vatBox: box?.vat ?? null,
    };
  });
}

export const dateByArg = (t: QueryFields) =>
  t.arg({ type: VatDateType, description: 'The day on which an invoice counts. Default: SUPPLY.' });

const vatArgs = (t: QueryFields) => ({
  ...periodArgs(t),
  basis: t.arg({ type: VatBasis, description: 'When VAT counts. Default: ACCRUAL.' }),
  dateBy: dateByArg(t),
});

builder.queryField('vatReport', (t) =>
  t.field({
    type: VatReport,
    description:
      'VAT of a period. Cancelled invoices count, and so do the credit notes that take them back, each on its own date; cash discounts count on the day of payment. Drafts do not. Needs `receipts:read`, too.',
    ability: 'invoices:read',
    args: vatArgs(t),
    rules: checkReport,
    resolve: async (_root, { from, to, basis, dateBy }, context) => {
      const period: VatPeriod = { from, to, basis: basis ?? 'ACCRUAL', dateBy: dateBy ?? 'SUPPLY' };
      return { ...period, rows: await findRows(context, period) };
    },
  }),
);

builder.queryField('vatReportDocuments', (t) =>
  t.field({
    type: VatReportDocuments,
    description:
      'The documents of one row of a VAT report. Their sums are those of the row. Needs `receipts:read`, too.',
    ability: 'invoices:read',
    args: {
      ...vatArgs(t),
      kind: t.arg({ type: VatKind, required: true, description: 'The kind of the row.' }),
      vatCategory: t.arg.string({
        required: true,
        description: 'The category of the row.',
        validate: receiptVatCategory,
      }),
      vatRate: t.arg({ type: 'Decimal', required: true, description: 'The rate of the row.', validate: vatRate }),
      currency: t.arg.string({ required: true, description: 'The currency of the row.', validate: text(3) }),
      supplierPlace: t.arg({
        type: VatSupplierPlace,
        description: 'The place of the row. Default: all places; of input VAT, the row without one.',
      }),
      customerPlace: t.arg({
        type: VatCustomerPlace,
        description: 'The place of the row, of kind OUTPUT. Default: all places.',
      }),
      ...pageArgs(t),
    },
    rules: checkReport,
    resolve: async (_root, args, context): Promise<Documents> => {
      const { to, basis, dateBy, kind, vatRate: rate, currency } = args;
      const { customerPlace, supplierPlace } = args;
      const [place, none] = kind === 'OUTPUT' ? [customerPlace, supplierPlace] : [supplierPlace, customerPlace];
      if (none) return { count: 0, items: [] };
      const ofAnyPlace = isAlwaysPlaced(context.tenant.country, formatDay(to), kind, args.vatCategory);
      const shares = buildPlacedShares(context, { to, basis: basis ?? 'ACCRUAL', dateBy: dateBy ?? 'SUPPLY' });
      return findDocuments(
        context,
        `select * from (${shares}) as share
         where kind = $4 and category = $5 and rate = $6::numeric and currency = $7
           and (place = $8::text or $8::text is null and (${ofAnyPlace} or place is null))`,
        [...inTexts(args), kind, args.vatCategory, rate.toFixed(), currency, place ?? null],
        args,
      );
    },
  }),
);
