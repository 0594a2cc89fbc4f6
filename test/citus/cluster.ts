import { Client } from 'pg';

/** The superuser's URL of a database of a Citus cluster that knows the cluster's servers; the suite then runs on it. */
export const clusterUrl = process.env['CITUS_URL'];

/**
 * Whether the suite runs on a cluster: `it.skipIf(onCluster('reason'))`.
 * @param _reason why the test can't run there
 */
export const onCluster = (_reason: string): boolean => clusterUrl !== undefined;

/** Runs SQL on a server, in one of its databases. */
export async function runOn(server: string, database: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: new URL(`/${database}`, server).href });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The superuser's URLs of the cluster's servers, without a database: the coordinator, then its workers. */
export async function listServers(url: string): Promise<string[]> {
  const known = await runOn(
    url,
    new URL(url).pathname.slice(1),
    `select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary' order by groupid`,
  );
  const coordinator = new URL(url);
  coordinator.pathname = '';
  const workers = known.map(({ host, port }) => {
    const worker = new URL(coordinator);
    worker.host = `${String(host)}:${String(port)}`;
    return worker.href;
  });
  return [coordinator.href, ...workers];
}

/** Makes an empty database with Citus on each server. */
export async function createClusterDatabase(servers: readonly string[], name: string): Promise<void> {
  for (const server of servers) await runOn(server, 'postgres', `create database ${name}`);
  for (const server of servers) await runOn(server, name, 'create extension citus');
  const [coordinator = '', ...workers] = servers;
  const node = (server: string): string => `'${new URL(server).hostname}', ${new URL(server).port || 5432}`;
  await runOn(coordinator, name, `select citus_set_coordinator_host(${node(coordinator)})`);
  for (const worker of workers) await runOn(coordinator, name, `select citus_add_node(${node(worker)})`);
}

/** Ends the connections to a database, Citus' own too, and refuses others: only then it can be cloned. */
export async function closeToClients(servers: readonly string[], name: string): Promise<void> {
  for (const server of servers) {
    await runOn(server, 'postgres', `alter database ${name} allow_connections false`);
    await runOn(server, 'postgres', `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  }
}
