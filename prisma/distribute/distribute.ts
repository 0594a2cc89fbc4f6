import { escapeLiteral, type Pool } from 'pg';
import { restoreSecurity } from './move-tenant.ts';
import { declareDistributed, hasCitus, isDistributed } from './distributed.ts';
import { inTransaction } from '../connection/in-transaction.ts';

// Distributes the books over the workers of a Citus cluster. Each step looks at the catalog for what is left to do, so a
// run that was ended half-way is finished by the next one.

export const defaultShards = 32;

/**
 * @param report receives a line for each step that was done
 * @returns how many steps were done: none if nothing was left to do
 * @throws Error of one line: what is missing, or which step failed and why
 */
export async function distributeBooks(
  pool: Pool,
  report: (line: string) => void,
  shards: number = defaultShards,
): Promise<number> {
  await requireWorkers(pool);
  let steps = 0;
  const did = (line: string): void => {
    steps += 1;
    report(line);
  };
  await letRoleLogIn(pool, did);
  await makeSequences(pool, did);
  await distributeFunctions(pool, did);
  // Before the first table, so that triggers and connections are right from its first shard on.
  if (!(await isDistributed(pool))) {
    await declareDistributed(pool);
    did('declared the books distributed');
  }
  const tables = await tablesOfBooks(pool);
  if (!tables.some(({ distributed }) => distributed)) await endSessions(pool, did);
  await distributeTables(tables, pool, did, shards);
  await removeLocalRows(pool, did);
  const lifted = await restoreSecurity(pool, report); // by a move that was killed
  if (lifted.length > 0) did(`forced row-level security of ${lifted.length} tables on the owner`);
  await checkNodes(pool);
  return steps;
}

async function requireWorkers(pool: Pool): Promise<void> {
  if (!(await hasCitus(pool)))
    throw new Error('Citus is not installed in this database. On every node, a superuser runs: create extension citus');
  const { rowCount } = await pool.query(`select from pg_dist_node where groupid <> 0 and noderole = 'primary'`);
  if (rowCount === 0)
    throw new Error(
      `The cluster has no workers. On the coordinator, a superuser runs citus_set_coordinator_host('coordinator', 5432), and for each worker citus_add_node('worker', 5432)`,
    );
}

/** Citus' nodes connect to each other as the role of the statement. */
async function letRoleLogIn(pool: Pool, did: (line: string) => void): Promise<void> {
  const { rowCount } = await pool.query(`select from pg_roles where rolname = 'kontor_books' and not rolcanlogin`);
  if (rowCount === 0) return;
  const statement = 'alter role kontor_books login';
  try {
    await pool.query(statement);
  } catch (error) {
    throw new Error(
      `The nodes connect to each other as kontor_books. On the coordinator, a superuser runs: ${statement}`,
      { cause: error },
    );
  }
  did('let the role kontor_books log in: the nodes connect to each other as this role');
}

/**
 * Makes the sequences that functions use on each worker. They begin at the coordinator's value, because the upper digits of
 * a feed's positions are those of its epoch. Citus itself only sends sequences that belong to a column.
 */
async function makeSequences(pool: Pool, did: (line: string) => void): Promise<void> {
  const { rows } = await pool.query<{ name: string; create: string }>(`
    select c.oid::regclass::text as name, format('create sequence %s; perform setval(%L, %s); ',
      c.oid::regclass, c.oid::regclass, coalesce(pg_sequence_last_value(c.oid), 1)
    ) || coalesce((
      select string_agg(format('grant %s on sequence %s to %s; ', privilege_type, c.oid::regclass, grantee::regrole), '')
      from aclexplode(relacl) where grantee <> relowner
    ), '') as create
    from pg_class c
    where c.relkind = 'S' and c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype in ('a', 'e', 'i'))`);
  for (const { name, create } of rows) {
    const missing = `select to_regclass(${escapeLiteral(name)}) is null`;
    const make = `do $$ begin if (${missing}) then ${create} end if; end $$`;
    const { rowCount } = await pool.query('select from run_command_on_workers($1) where result = $2', [missing, 't']);
    if (rowCount === 0) continue;
    const { rows: failed } = await pool.query<{ result: string }>(
      'select result from run_command_on_workers($1) where not success',
      [make],
    );
    if (failed[0]) throw new Error(failed[0].result);
    did(`made the sequence ${name} on the workers`);
  }
}

/** Triggers run on the workers, and call the schema's functions there. Citus sends later changes of them by itself. */
async function distributeFunctions(pool: Pool, did: (line: string) => void): Promise<void> {
  const { rows } = await pool.query<{ signature: string }>(`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
      and not exists (select from pg_dist_object where classid = 'pg_proc'::regclass and objid = p.oid)
    order by 1`);
  for (const { signature } of rows)
    await pool.query('select create_distributed_function($1::regprocedure)', [signature]);
  if (rows.length > 0) did(`sent ${rows.length} functions to the nodes`);
  await withholdFunctions(pool, did);
}

/** On the workers, everybody may call a function that was sent there, even if PUBLIC may not on the coordinator. */
async function withholdFunctions(pool: Pool, did: (line: string) => void): Promise<void> {
  const ofEverybody = `select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)`;
  const { rows } = await pool.query<{ signature: string }>(
    `select distinct signature from run_command_on_workers($1) as answer,
       json_array_elements_text(case when answer.success then answer.result else '[]' end::json) as signature
     where signature not in (${ofEverybody})`,
    [`select coalesce(json_agg(signature), '[]') from (${ofEverybody}) as functions`],
  );
  // Citus sends this to the workers. On the coordinator it changes nothing.
  for (const { signature } of rows) await pool.query(`revoke all on function ${signature} from public`);
  if (rows.length > 0) did(`revoked ${rows.length} functions from PUBLIC on the workers`);
}

/**
 * Ends the sessions of processes that run. Their connections have the tenant in the settings of the session, which Citus
 * doesn't send to its workers: they would find no rows. And they announce their watchers by locks, which triggers on the
 * workers don't see. A new connection asks whether the books are distributed.
 */
async function endSessions(pool: Pool, did: (line: string) => void): Promise<void> {
  const { rowCount } = await pool.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name ~ '^kontor( \\d|$| notifications$)'
      and pid <> pg_backend_pid()`);
  if (rowCount) did(`ended ${rowCount} sessions of running processes`);
}

interface BooksTable {
  name: string;
  /** Whether row-level security holds for the table's owner too. */
  forced: boolean;
  /** The names of the other tables of the books that its foreign keys refer to. */
  parents: string[];
  distributed: boolean;
}

/** The tables of the books are those with a tenant and row-level security. Identity's tables have no such security. */
const booksTables = `
  with books as (
    select c.oid, c.oid::regclass::text as name, c.relforcerowsecurity as forced from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relrowsecurity
      and exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id' and not attisdropped)
  )
  select name, forced, exists (select from pg_dist_partition where logicalrelid = oid) as distributed, array(
    select distinct parent.name from pg_constraint join books as parent on parent.oid = confrelid
    where conrelid = books.oid and contype = 'f' and confrelid <> conrelid
  ) as parents
  from books order by name`;

export async function tablesOfBooks(pool: Pool): Promise<BooksTable[]> {
  const { rows } = await pool.query<BooksTable>(booksTables);
  return parentsFirst(rows);
}

/** Citus distributes a table only after those that its foreign keys refer to. @throws Error where keys form a circle */
export function parentsFirst<Table extends Pick<BooksTable, 'name' | 'parents'>>(tables: readonly Table[]): Table[] {
  const sorted: Table[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const next = left.filter(({ parents }) => !parents.some((parent) => names.has(parent)));
    if (next.length === 0) throw new Error(`The foreign keys of these tables form a circle: ${[...names].join(', ')}`);
    sorted.push(...next);
    left = left.filter((table) => !next.includes(table));
  }
  return sorted;
}

async function distributeTables(
  tables: readonly BooksTable[],
  pool: Pool,
  did: (line: string) => void,
  shards: number,
): Promise<void> {
  let first = tables.find(({ distributed }) => distributed)?.name;
  for (const { name, forced } of tables.filter(({ distributed }) => !distributed)) {
    await inTransaction(pool, async (client) => {
      await client.query('set local citus.enable_unsafe_triggers = on');
      // Forced security would hide the rows from the owner, who copies them. Triggers would take each of them for a new row.
      if (forced) await client.query(`alter table ${name} no force row level security`);
      await client.query(`alter table ${name} disable trigger user`);
      if (first === undefined)
        await client.query(`select create_distributed_table($1, 'tenant_id', shard_count => $2)`, [name, shards]);
      else await client.query(`select create_distributed_table($1, 'tenant_id', colocate_with => $2)`, [name, first]);
      await client.query(`alter table ${name} enable trigger user`);
      if (forced) await client.query(`alter table ${name} force row level security`);
    });
    did(`distributed ${name}` + (first === undefined ? ` over ${shards} shards` : ''));
    first ??= name;
  }
}

/** Citus leaves the rows that it copied in the coordinator's own tables, where nobody sees them. */
async function removeLocalRows(pool: Pool, did: (line: string) => void): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(`
    select c.oid::regclass::text as name from pg_dist_partition join pg_class c on c.oid = logicalrelid
    where c.relnamespace = current_schema()::regnamespace and pg_relation_size(c.oid) > 0`);
  for (const { name } of rows) await pool.query('select truncate_local_data_after_distributing_table($1)', [name]);
  if (rows.length > 0) did(`removed from the coordinator the rows that were copied: ${rows.length} tables`);
}

/** The settings and policies that protect the rows of the table or shard `c`. */
const security = `concat_ws(' ', c.relrowsecurity, c.relforcerowsecurity, (
  select string_agg(concat_ws(' ', polname, polcmd, polpermissive, polroles::regrole[],
    pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)), ', ' order by polname)
  from pg_policy where polrelid = c.oid))`;

const nodeState = `select json_build_object('distributed', is_distributed(), 'shards', (
  select coalesce(json_agg(json_build_object('shard', shardid::text, 'security', ${security})), '[]')
  from pg_dist_shard join pg_class shell on shell.oid = logicalrelid
    join pg_class c on c.relnamespace = shell.relnamespace and c.relname = shell.relname || '_' || shardid))`;

interface NodeState {
  distributed: boolean;
  shards: { shard: string; security: string }[];
}

/** Where the shards are. A node may also have copies of shards that moved away, which Citus drops later. */
const placements = `
  select nodename || ':' || nodeport as node, shardid::text as shard, c.oid::regclass::text as table, ${security} as security
  from pg_dist_shard_placement join pg_dist_shard using (shardid) join pg_class c on c.oid = logicalrelid
  where c.relnamespace = current_schema()::regnamespace`;

interface Placement {
  node: string;
  shard: string;
  table: string;
  /** The settings and policies that protect the table's rows. */
  security: string;
}

/** @throws Error unless each shard has the policies of its table, and each node knows that the books are distributed */
async function checkNodes(pool: Pool): Promise<void> {
  const nodes = await pool.query<{ node: string; success: boolean; result: string }>(
    `select nodename || ':' || nodeport as node, success, result
     from run_command_on_all_nodes($1) as answer join pg_dist_node on pg_dist_node.nodeid = answer.nodeid`,
    [nodeState],
  );
  const found = new Map<string, string>();
  for (const { node, success, result } of nodes.rows) {
    if (!success) throw new Error(`The node ${node} does not answer: ${result}`);
    const { distributed, shards } = JSON.parse(result) as NodeState;
    if (!distributed) throw new Error(`On the node ${node}, is_distributed() is false`);
    for (const { shard, security: own } of shards) found.set(`${node} ${shard}`, own);
  }
  for (const { node, shard, table, security: expected } of (await pool.query<Placement>(placements)).rows) {
    const own = found.get(`${node} ${shard}`);
    if (own === undefined) throw new Error(`The node ${node} lacks the shard ${table}_${shard}`);
    if (own !== expected)
      throw new Error(`On the node ${node}, the shard ${table}_${shard} lacks row-level security of ${table}`);
  }
}
