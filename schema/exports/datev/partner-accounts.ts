import type { Context } from '../../graphql/context.ts';
import { ExportError } from '../export-error.ts';
import type { Period } from '../table.ts';
import { partnerRanges } from './accounts.ts';

// The numbers of partners' accounts. Each is given once, and never changes: the tax consultant's books have them.

type Kind = keyof typeof partnerRanges;

/** The partners of what is booked in a period. Parameters: the tenant, the first and the last day. */
const partnersSql: Record<Kind, string> = {
  debtor: `
    select customer_id from invoices where tenant_id = $1 and status <> 'draft' and invoice_date between $2 and $3
    union select customer_id from credit_notes where tenant_id = $1 and credit_note_date between $2 and $3
    union select coalesce(invoice.customer_id, note.customer_id, payment.customer_id) from payments as payment
      left join invoices as invoice on invoice.tenant_id = $1 and invoice.id = payment.invoice_id
      left join credit_notes as note on note.tenant_id = $1 and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.receipt_id is null and payment.paid_on between $2 and $3`,
  creditor: `
    select supplier_id as customer_id from receipts
    where tenant_id = $1 and status <> 'draft' and supplier_id is not null and receipt_date between $2 and $3
    union select receipt.supplier_id from payments as payment
      join receipts as receipt on receipt.tenant_id = $1 and receipt.id = payment.receipt_id
    where payment.tenant_id = $1 and payment.paid_on between $2 and $3 and receipt.supplier_id is not null`,
};

/** So many get a number at a time. */
const batchSize = 1000;

/** The next partners without a number, in the order in which they were added. */
async function findWithout({ db }: Context, kind: Kind, { from, to }: Period, limit: number): Promise<string[]> {
  const rows = await db.$rows<{ id: string }>(
    `select partner.customer_id as id from (${partnersSql[kind]}) as partner
     where not exists (
       select from partner_accounts as account
       where account.tenant_id = $1 and account.customer_id = partner.customer_id and account.kind = '${kind}')
     order by 1 limit $4`,
    [from, to, limit],
  );
  return rows.map(({ id }) => id);
}

/** Whether all partners of a period have a number, as far as the context's transaction sees. */
export async function haveAccounts(context: Context, period: Period): Promise<boolean> {
  for (const kind of ['debtor', 'creditor'] as const)
    if ((await findWithout(context, kind, period, 1)).length > 0) return false;
  return true;
}

/**
 * The numbers of all partners, by `debtor` or `creditor` and the partner's id. They fit in memory, as DATEV has less than 100,000
 * (partnerRanges). PostgreSQL may have no statistics of numbers that were just given, and would read all of them again for each
 * document.
 */
export async function readPartnerAccounts({ db }: Context): Promise<ReadonlyMap<string, string>> {
  const accounts = new Map<string, string>();
  const sql = `select kind || ' ' || customer_id as partner, number::text from partner_accounts where tenant_id = $1`;
  for await (const rows of db.$stream<{ partner: string; number: string }>(sql, [], batchSize))
    for (const { partner, number } of rows) accounts.set(partner, number);
  return accounts;
}

/**
 * Gives a number to each partner of a period that has none. Before the transaction that reads them: it has to see those that
 * another export gives at the same time.
 * @throws ExportError if there are more partners than numbers
 */
export async function givePartnerAccounts(context: Context, period: Period): Promise<void> {
  for (const kind of ['debtor', 'creditor'] as const)
    for (let given = batchSize; given === batchSize;) given = await giveNext(context, kind, period);
}

const giveNext = (context: Context, kind: Kind, period: Period): Promise<number> =>
  context.transaction(async (inside) => {
    const { db } = inside;
    await db.waitForAdvisoryLock('partner accounts');
    await db.planForManyRows();
    const ids = await findWithout(inside, kind, period, batchSize);
    const latest = await db.partnerAccount.findFirst({ where: { kind }, orderBy: { number: 'desc' } });
    const { first, last } = partnerRanges[kind];
    const next = latest ? latest.number + 1 : first;
    if (next + ids.length - 1 > last)
      throw new ExportError(`There are more than ${last - first + 1} ${kind}s: DATEV has no more numbers for them.`);
    const rows = ids.map((customerId, at) => db.row('PartnerAccount', { customerId, kind, number: next + at }));
    if (rows.length > 0) await db.insert({ PartnerAccount: rows });
    return rows.length;
  });
