import { createServer } from 'node:http';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { postgraphile } from 'postgraphile';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { Pool } from 'pg';
import { databaseUrl, hashToken, logRequest, poolSize, port } from './environment.ts';

// PostGraphile as its guide has it: the Amber preset on its own server, who calls looked up into pgSettings, and what
// they may see left to row-level security (see `policies`, applied by those who start it).

const pool = new Pool({ connectionString: databaseUrl, max: poolSize });
const tables = ['customers', 'invoices', 'invoice_items'];

await pool.query(`
  do $$ begin
    if not exists (select from pg_roles where rolname = 'bench_visitor') then create role bench_visitor; end if;
  end $$;
  grant usage on schema public to bench_visitor;
  ${tables
    .map(
      (table) => `
        grant select on ${table} to bench_visitor;
        alter table ${table} enable row level security;
        drop policy if exists bench_tenant on ${table};
        create policy bench_tenant on ${table} for select to bench_visitor
          using (tenant_id = current_setting('bench.tenant_id')::uuid);`,
    )
    .join('')}`);

async function findTenant(authorization: string | undefined): Promise<string> {
  const { rows } = await pool.query<{ tenant_id: string }>({
    name: 'caller',
    text: `select n.id as tenant_id from api_tokens t
         join memberships m on m.tenant_id = t.tenant_id and m.user_id = t.user_id
         join tenants n on n.id = m.tenant_id and n.closed_at is null
       where t.hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
    values: [hashToken(authorization)],
  });
  if (!rows[0]) throw new Error('The API token is missing or not valid.');
  return rows[0].tenant_id;
}

/** Names values of enums that are no names of GraphQL, such as `time-entries`: without it, their tables are left out. */
const enumNames: GraphileConfig.Plugin = {
  name: 'EnumNames',
  inflection: { replace: { enumValue: (previous, _, value, codec) => previous!(value.replaceAll('-', '_'), codec) } },
};

const preset: GraphileConfig.Preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [enumNames],
  pgServices: [makePgService({ pool, schemas: ['public'] })],
  grafserv: { graphqlPath: '/graphql', watch: false },
  grafast: {
    context: async ({ node }) => ({
      pgSettings: { role: 'bench_visitor', 'bench.tenant_id': await findTenant(node?.req.headers.authorization) },
    }),
  },
};

const server = createServer((request, response) => {
  const start = performance.now();
  response.once('close', () => logRequest(request.method, request.url, response.statusCode, performance.now() - start));
});
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(port, '127.0.0.1');
