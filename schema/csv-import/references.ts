import type { Problem } from '../errors/errors.ts';
import type { Context } from '../graphql/context.ts';
import type { Errors } from './errors.ts';
import type { CsvRow } from './read-file.ts';
import type { Values } from './read-row.ts';

/** Finds a row's id by its id in another system, or by its name. Otherwise says the problem. */
export type Find = (text: string) => { id: string } | { problem: Problem };

const several = (message: string): { problem: Problem } => ({ problem: ['ambiguous', message] });
const none = (noun: string): { problem: Problem } => ({ problem: ['not_found', `There is no such ${noun}.`] });

/** Texts are looked up so many at a time. */
const lookupSize = 1000;

/** No id or name is longer: 255 code points, of at most two UTF-16 units each. Longer texts would only fill a statement. */
const longestName = 2 * 255;

const listTexts = (rows: CsvRow[], field: string): string[] =>
  [...new Set(rows.flatMap(({ cells }) => cells.get(field) ?? []))].filter((text) => text.length <= longestName);

type Referred = 'customer' | 'supplier' | 'project';

/** Statements that lock rows in one order, and leave out those that others have deleted, or made no supplier, meanwhile. */
const locking: Record<Referred, string> = {
  customer: 'select id from customers where tenant_id = $1 and id = any ($2::uuid[]) order by id for key share',
  supplier: `select id from customers where tenant_id = $1 and id = any ($2::uuid[]) and type = 'supplier' order by id for key share`,
  project: 'select id from projects where tenant_id = $1 and id = any ($2::uuid[]) order by id for key share',
};

/**
 * Looks up all partners, or all projects, that a column names. Until the transaction ends they stay: a supplier one, and a project
 * with its currency.
 */
export async function findReferred({ db }: Context, rows: CsvRow[], field: Referred): Promise<Find> {
  const byExternalId = new Map<string, string>();
  const byName = new Map<string, string[]>();
  const texts = listTexts(rows, field);
  for (let start = 0; start < texts.length; start += lookupSize) {
    const listed = { in: texts.slice(start, start + lookupSize) };
    const found =
      field === 'project'
        ? await db.project.findMany({
            where: { OR: [{ externalId: listed }, { name: listed }] },
            select: { id: true, externalId: true, name: true },
          })
        : (
            await db.customer.findMany({
              where: {
                OR: [{ externalId: listed }, { companyName: listed }],
                ...(field === 'supplier' && { type: 'SUPPLIER' }),
              },
              select: { id: true, externalId: true, companyName: true },
            })
          ).map(({ companyName, ...row }) => ({ ...row, name: companyName }));
    const ids = found.map(({ id }) => id);
    const locked = ids.length > 0 ? await db.$rows<{ id: string }>(locking[field], [ids]) : [];
    const kept = new Set(locked.map(({ id }) => id));
    for (const { id, externalId, name } of found) {
      if (!kept.has(id)) continue;
      if (externalId !== null) byExternalId.set(externalId, id);
      byName.set(name, [...new Set([...(byName.get(name) ?? []), id])]);
    }
  }
  return (text) => {
    const known = byExternalId.get(text);
    if (known !== undefined) return { id: known };
    const [id, ...others] = byName.get(text) ?? [];
    if (id === undefined) return none(field);
    return others.length > 0 ? several('Several have this name. Use the id of the other system.') : { id };
  };
}

/** The members of the tenant, by e-mail address or name in any case. */
export async function findMembers(context: Context): Promise<Find> {
  const members = (await context.identity.members(context)).map(({ user }) => user);
  return (text) => {
    const wanted = text.toLowerCase();
    const email = members.find((member) => member.email.toLowerCase() === wanted);
    if (email) return { id: email.id };
    const [named, ...others] = members.filter(({ name }) => name.toLowerCase() === wanted);
    if (!named) return none('member');
    return others.length > 0 ? several('Several members have this name. Use the e-mail address.') : { id: named.id };
  };
}

/** Finds the id of the row that a column names; null if it names none, or there is no such row. */
export function findNamed(find: Find, field: string, row: CsvRow, values: Values, errors: Errors): string | null {
  const text = values[field];
  if (typeof text !== 'string') return null;
  const found = find(text);
  if ('id' in found) return found.id;
  errors.add(row, field, ...found.problem);
  return null;
}

/** The ids of all rows that a column names. */
export const findIds = (rows: CsvRow[], field: string, find: Find): string[] => [
  ...new Set(
    rows.flatMap(({ cells }) => {
      const found = find(cells.get(field) ?? '');
      return 'id' in found ? found.id : [];
    }),
  ),
];
