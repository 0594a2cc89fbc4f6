import type { Db } from '../../prisma/client.ts';
import { ownNumber, rules, type Rule } from './consistency-rules.ts';

/** A record that breaks a rule: by its id, or by its year; null where it is missing. */
export interface Violation {
  type: string;
  key: string | null;
  message: string;
}

/** How many violations are reported. */
const maxViolations = 100;

/** The rows that are checked by one statement. */
const windowRows = 100_000;

/**
 * A query for the ids of rows in a range that break a rule. The join is a full one because PostgreSQL has no statistics of a
 * tenant whose rows are new, and expects one row. For any other join it would compare each row with each.
 */
const violationsSql = ({ table, breaks, other }: Rule): string => `
  with checked as materialized (
    select * from ${table} where tenant_id = $1 and id > $2::uuid and id <= $3::uuid
  )${other ? `, other as materialized (${other.rows})` : ''}
  select checked.id as key from checked ${other ? `full join other on other.id = checked.${other.by}` : ''}
  where checked.id is not null and (${breaks}) limit $4`;

/** Every number of a year was given once, up to the last one. Numbers that were imported may have left gaps. */
const sequenceRule = {
  type: 'invoice_sequence',
  message: 'last: Must be the number of invoices with a number of this year, without gaps.',
} as const;
const brokenSequences = `
  select year as key from invoice_sequences
  left join (
    select left(number, 4)::int as year, count(*) as numbers, max(substr(number, 6)::int) as highest,
      bool_or(external_id is not null) as imported
    from invoices where tenant_id = $1 and number ~ '${ownNumber}' group by 1
  ) as given using (year)
  where tenant_id = $1
    and case when imported then last < highest else (last, last) is distinct from (numbers, highest) end`;

/** The same for credit notes, whose numbers are never imported. */
const creditNoteSequenceRule = {
  type: 'credit_note_sequence',
  message: 'last: Must be the number of credit notes with a number of this year, without gaps.',
} as const;
const brokenCreditNoteSequences = `
  select year as key from credit_note_sequences
  left join (
    select substr(number, 4, 4)::int as year, count(*) as numbers, max(substr(number, 9)::int) as highest
    from credit_notes where tenant_id = $1 group by 1
  ) as given using (year)
  where tenant_id = $1 and (last, last) is distinct from (numbers, highest)`;

/** The rows of the tenant that break a rule between rows; at most `maxViolations`. */
export async function findViolations(db: Db): Promise<Violation[]> {
  const violations = await findSequenceViolations(db);
  for await (const violation of eachViolation(db, maxViolations))
    if (violations.push(violation) >= maxViolations) break;
  return violations;
}

async function findSequenceViolations(db: Db): Promise<Violation[]> {
  const years = await db.$rows<{ key: number }>(brokenSequences, []);
  const creditNoteYears = await db.$rows<{ key: number }>(brokenCreditNoteSequences, []);
  return [
    ...years.map(({ key }) => ({ ...sequenceRule, key: String(key) })),
    ...creditNoteYears.map(({ key }) => ({ ...creditNoteSequenceRule, key: String(key) })),
  ];
}

/**
 * The rows that break a rule, but for sequences.
 * @param limit the most rows of one range that are named for one rule
 */
export async function* eachViolation(db: Db, limit: number): AsyncGenerator<Violation & { key: string }> {
  for (const table of new Set(rules.map((rule) => rule.table))) {
    for await (const [after, upTo] of windows(db, table)) {
      for (const rule of rules.filter((each) => each.table === table)) {
        const violating = await db.$rows<{ key: string }>(violationsSql(rule), [after, upTo, limit]);
        for (const { key } of violating) yield { type: rule.type, key, message: rule.message };
      }
    }
  }
}

const [firstId, lastId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** The table's ids in ranges, so that no statement takes long. */
async function* windows(db: Db, table: string): AsyncGenerator<[after: string, upTo: string]> {
  for (let after: string | undefined = firstId; after !== undefined;) {
    const [next]: { id: string }[] = await db.$rows<{ id: string }>(
      `select id from ${table} where tenant_id = $1 and id > $2::uuid order by id offset ${windowRows} limit 1`,
      [after],
    );
    yield [after, next?.id ?? lastId];
    after = next?.id;
  }
}
