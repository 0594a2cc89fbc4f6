import { builder, type ObjectFields, type QueryFields } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { resourceIdDescription } from '../../graphql/node.ts';
import { wholeNumber } from '../../graphql/input/validators.ts';
import { parseDay } from '../../graphql/scalars/days.ts';
import { Decimal } from '../../money/money.ts';
import { maxRows } from './period.ts';
import { readManyRows } from '../../rows/read-many-rows.ts';

// The documents behind a figure of a report: what each adds to it.

export interface DocumentShare {
  type: 'INVOICE' | 'CREDIT_NOTE' | 'RECEIPT' | 'INVOICE_ADJUSTMENT' | 'RECEIPT_ADJUSTMENT';
  id: string;
  number: string | null;
  date: Date;
  net: Decimal;
  vat: Decimal;
}

const DocumentType = builder.enumType('VatDocumentType', {
  description: 'A kind of document.',
  values: {
    INVOICE: { description: 'An invoice. On the cash basis, with its payments, refunds, and credit notes.' },
    CREDIT_NOTE: { description: 'A credit note.' },
    RECEIPT: { description: 'A receipt.' },
    INVOICE_ADJUSTMENT: {
      description:
        'Cash discounts, fees, write-offs, rounding, or exchange differences of an invoice on one day. It has the id of the invoice.',
    },
    RECEIPT_ADJUSTMENT: { description: 'The same of a receipt.' },
  } satisfies Record<DocumentShare['type'], object>,
});

export const documentFields = (t: ObjectFields<DocumentShare>) => ({
  type: t.expose('type', { type: DocumentType, description: 'Its kind.' }),
  id: t.expose('id', { type: 'UUID', description: 'The id of the invoice, credit note, or receipt.' }),
  resourceId: t.expose('id', {
    type: 'UUID',
    description: resourceIdDescription('The id of the invoice, credit note, or receipt'),
  }),
  number: t.exposeString('number', { nullable: true, description: 'Its number; null for a receipt without one.' }),
  date: t.expose('date', {
    type: 'Date',
    description: 'The day on which it counts; on the cash basis, the last day of the period.',
  }),
  net: t.expose('net', { type: 'Decimal', description: 'Negative where it takes something back.' }),
});

const ReportDocument = builder.objectRef<DocumentShare>('ReportDocument').implement({
  description: 'What one document adds to a figure of a report.',
  fields: documentFields,
});

export interface Documents {
  count: number;
  items: DocumentShare[];
}

export const ReportDocuments = builder.objectRef<Documents>('ReportDocuments').implement({
  description: 'The documents behind a figure of a report.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many they are in all.' }),
    items: t.expose('items', { type: [ReportDocument], description: 'As many as were asked for, by date.' }),
  }),
});

export const pageArgs = (t: QueryFields) => ({
  limit: t.arg.int({
    description: `At most so many: 1 to ${maxRows}, default 100.`,
    validate: wholeNumber(1, maxRows),
  }),
  skip: t.arg.int({ description: 'So many are skipped first.', validate: wholeNumber(0, 1_000_000) }),
});

interface Page {
  limit?: number | null;
  skip?: number | null;
}

/** JSON has no exact decimals, and no days. */
type DocumentTexts = Omit<DocumentShare, 'date' | 'net' | 'vat'> & Record<'date' | 'net' | 'vat', string>;

/** The number of documents, in SQL. */
export const countDocumentsSql = 'count(distinct (type, id, date))::int';

/** @param shares a statement that finds shares, with these parameters after the tenant */
export async function findDocuments(
  context: Context,
  shares: string,
  parameters: (string | null)[],
  { limit, skip }: Page,
): Promise<Documents> {
  const [limitAt, skipAt] = [parameters.length + 2, parameters.length + 3];
  const [found] = await readManyRows<{ count: number; items: DocumentTexts[] }>(
    context,
    `with document as materialized (
       select type, id, number, date, sum(net) as net, sum(vat) as vat from (${shares}) as shares
       group by type, id, number, date
     ), page as (
       select type, id, number, date, net::text, vat::text from document order by date, id limit $${limitAt} offset $${skipAt}
     )
     select (select count(*)::int from document) as count, (select coalesce(json_agg(page), '[]') from page) as items`,
    [...parameters, limit ?? 100, skip ?? 0],
  );
  const items = (found?.items ?? []).map(({ date, net, vat, ...row }) => ({
    ...row,
    date: parseDay(date) as Date,
    net: new Decimal(net),
    vat: new Decimal(vat),
  }));
  return { count: found?.count ?? 0, items };
}
