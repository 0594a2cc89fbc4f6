import type { Context } from '../graphql/context.ts';
import type { Report } from '../resources/difference.ts';

// The numbers of a year are 1, 2, 3, and so on, and the sequence has the last one. Invoices that were imported from another
// system leave gaps: before their own numbers, and where an import has set the sequence, of which the audit log knows.

interface Series {
  type: 'invoice_sequence' | 'credit_note_sequence';
  /** A query for all numbers: year, number in it, whether it was imported, and when it was written. */
  numbers: string;
  prefix: string;
}

const series: Series[] = [
  {
    type: 'invoice_sequence',
    prefix: '',
    numbers: String.raw`select left(number, 4)::integer as year, substr(number, 6)::bigint as number,
        external_id is not null as is_imported, created_at
      from invoices where tenant_id = $1 and number ~ '^\d{4}-(\d{4}|[1-9]\d{4,8})$'`,
  },
  {
    type: 'credit_note_sequence',
    prefix: 'CN-',
    numbers: `select substr(number, 4, 4)::integer as year, substr(number, 9)::bigint as number, false as is_imported, created_at
      from credit_notes where tenant_id = $1`,
  },
];

const gapsSql = ({ type, numbers }: Series): string => `
  with given as materialized (${numbers}), ordered as (
    select year, number, is_imported, created_at,
      coalesce(lag(number) over (partition by year order by number), 0) as previous,
      bool_or(is_imported) over (partition by year) as has_imported
    from given
  )
  select year, previous + 1 as first, number - 1 as last from ordered
  where number > previous + 1 and not is_imported and not (has_imported and (
    created_at <= coalesce((select at from audit_entries where tenant_id = $1 order by position limit 1), created_at)
    or exists (
      select from audit_entries as entry where entry.tenant_id = $1 and entry.resource_id is null and entry.resource = '${type}'
        and (entry.after ->> 'year')::integer = year and (entry.after ->> 'last')::bigint = number - 1
    )
  ))
  order by year, number`;

const sequencesSql = ({ type, numbers }: Series): string => `
  with given as materialized (
    select year, max(number) as highest, bool_or(is_imported) as has_imported from (${numbers}) as numbers group by year
  )
  select year, sequence.last, coalesce(given.highest, 0) as highest, coalesce(has_imported, false) as "hasImported"
  from (select year, last from ${type}s where tenant_id = $1) as sequence full join given using (year)
  where sequence.last is distinct from coalesce(given.highest, 0) order by year`;

/** Finds numbers that are missing, and sequences that would give a number again. */
export async function verifyNumbers({ db }: Context, report: Report): Promise<void> {
  for (const each of series) {
    const { type, prefix } = each;
    const name = (year: number, number: bigint | string): string =>
      `${prefix}${String(year).padStart(4, '0')}-${String(number).padStart(4, '0')}`;
    const noun = type === 'invoice_sequence' ? 'Invoice' : 'Credit note';
    const sayMissing = (year: number, first: bigint, last: bigint): string =>
      first === last
        ? `${noun} ${name(year, first)} is missing`
        : `${noun}s ${name(year, first)} to ${name(year, last)} are missing`;
    for (const { year, first, last } of await db.$rows<{ year: number; first: string; last: string }>(
      gapsSql(each),
      [],
    ))
      report({ type, id: String(year), message: sayMissing(year, BigInt(first), BigInt(last)) });
    const sequences = await db.$rows<{ year: number; last: number | null; highest: string; hasImported: boolean }>(
      sequencesSql(each),
      [],
    );
    for (const { year, last, highest, hasImported } of sequences) {
      const given = BigInt(highest);
      if (last === null || BigInt(last) < given)
        report({
          type,
          id: String(year),
          message: `The sequence of ${year} is at ${last ?? 0}, and would give ${noun.toLowerCase()} ${name(year, highest)} again`,
        });
      else if (!hasImported) report({ type, id: String(year), message: sayMissing(year, given + 1n, BigInt(last)) });
    }
  }
}
