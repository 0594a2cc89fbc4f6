import type { Context } from '../../graphql/context.ts';

// Banks, and people who type an account, write one IBAN with spaces or without, in small or in capital letters. A transaction keeps
// what was sent (DECISIONS.md#d51-what-is-imported), so that accounts are compared without that.

/** What two texts of one account have in common. */
export const accountKey = (text: string): string => text.replaceAll(/\s/g, '').toUpperCase();

/** The same as an expression of SQL. PostgreSQL's own class leaves out some of the spaces that JavaScript has. */
const accountKeySql = (text: string): string =>
  String.raw`upper(regexp_replace(${text}, '[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]', '', 'g'))`;

/**
 * Whose texts these are, as a statement: one `account_id` for each `iban` and `currency`. Earlier versions made an account for each
 * way to write an IBAN: then the one that has the very text comes first, and else the oldest. Each key is computed once, however
 * PostgreSQL joins them.
 * @param texts the table `text`, which has the column `iban`
 * @param condition which `account` may be that of a `text`
 */
export const ownersSql = (texts: string, condition = 'true'): string => `
  with account as materialized (
    select id, iban, currency, ${accountKeySql('iban')} as key from bank_accounts where tenant_id = $1
  ), text as materialized (
    select text.*, ${accountKeySql('text.iban')} as key from ${texts}
  )
  select distinct on (text.iban, account.currency) text.iban, account.currency, account.id as account_id
  from text join account on account.key = text.key and ${condition}
  order by text.iban, account.currency, account.iban = text.iban desc, account.id`;

export interface AccountText {
  iban: string;
  currency: string;
}

interface Owner extends AccountText {
  account_id: string;
}

const ownersOfFileSql = ownersSql(
  'unnest($2::text[], $3::text[]) as text (iban, currency)',
  'account.currency = text.currency',
);

/** The accounts that there are of these. */
export const findOwners = ({ db }: Context, texts: AccountText[]): Promise<Owner[]> =>
  db.$rows<Owner>(ownersOfFileSql, [texts.map(({ iban }) => iban), texts.map(({ currency }) => currency)]);
