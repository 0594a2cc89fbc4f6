import type { Pool } from 'pg';
import { createConnection } from '../connection/connection.ts';
import { hasCitus } from '../distribute/distributed.ts';

/** The comparisons that filters, searches, and orders of lists use. */
const comparisons = [
  'enum_eq(anyenum, anyenum)',
  'numeric_eq(numeric, numeric)',
  'numeric_ge(numeric, numeric)',
  'numeric_gt(numeric, numeric)',
  'numeric_le(numeric, numeric)',
  'numeric_lt(numeric, numeric)',
  'textlike(text, text)',
  'texticlike(text, text)',
];

/** The function of our own that orders words. Its errors, of another encoding than UTF-8 say, don't depend on hidden rows. */
const ownFunctions = ['search_fold(text)'];

/**
 * Declares comparisons leakproof. Under row-level security, PostgreSQL uses an index only for functions that reveal nothing
 * about hidden rows, in an error message for example, and it doesn't trust these. They reveal nothing but their result:
 * LIKE fails only because of its pattern. Only a superuser can declare this, and a dump doesn't keep it of PostgreSQL's own.
 */
export async function declareLeakproof(
  pool: Pool,
  report: (line: string) => void,
  superuserUrl?: string,
): Promise<void> {
  const statements = await findMissingLeakproof(pool);
  if (statements === '') return;
  const { rowCount } = await pool.query('select from pg_roles where rolname = current_user and rolsuper');
  if (rowCount === 1) await pool.query(statements);
  else if (superuserUrl !== undefined) await queryOnce(superuserUrl, statements);
  else report(`filters on long lists are slow until a superuser runs: ${statements}`);
}

/** The statements that a superuser has yet to run; empty if there is none. */
export async function findMissingLeakproof(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ signature: string }>(
    `select signature::text from (${undeclared([...comparisons, ...ownFunctions])}) as missing`,
  );
  const missing = statementsFor(rows.map(({ signature }) => signature));
  const onWorkers = (await hasCitus(pool)) ? await missingOnWorkers(pool) : '';
  return missing + (onWorkers && `select run_command_on_workers($$${onWorkers}$$);`);
}

/** Our own are there once the migrations were applied. */
const undeclared = (functions: string[]): string => `select oid::regprocedure as signature from pg_proc
  where oid in (select to_regprocedure(each) from unnest('{${functions.map((each) => `"${each}"`).join(',')}}'::text[]) as each)
    and not proleakproof`;

const statementsFor = (signatures: string[]): string =>
  signatures.map((signature) => `alter function ${signature} leakproof;`).join(' ');

/** The same for Citus' workers, which the coordinator tells only of our own functions. */
async function missingOnWorkers(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ result: string }>(`select result from run_command_on_workers($1) where success`, [
    `select coalesce(json_agg(signature::text), '[]') from (${undeclared(comparisons)}) as missing`,
  ]);
  return statementsFor([...new Set(rows.flatMap(({ result }) => JSON.parse(result) as string[]))]);
}

async function queryOnce(url: string, statements: string): Promise<void> {
  const client = createConnection({ connectionString: url });
  client.on('error', () => {}); // the next query on it fails
  try {
    await client.connect();
    await client.query(statements);
  } finally {
    await client.end().catch(() => {});
  }
}
