import { userInfo } from 'node:os';
import type { Command } from 'commander';
import {
  checkedId,
  closedDays,
  closeTenant,
  createTenant,
  createToken,
  deleteTenant,
  findTenant,
  limitToken,
  listTenants,
  listTokens,
  RefusedError,
  reopenTenant,
  revokeToken,
} from '../../identity/index.ts';
import { currentTime } from '../../../prisma/clock.ts';
import { readConfig } from '../../config/config.ts';
import { startPace } from '../../jobs/pace.ts';
import { openStorage } from '../../storage/storage.ts';
import { confirm } from '../confirm.ts';
import { print, printJson, printRow, write } from '../output.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { formatTime, parseDay } from '../../../schema/graphql/scalars/scalars.ts';

export function addTenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('tenants: businesses with their own books');
  asJson(tenant.command('create').description('open a new tenant'))
    .requiredOption('--name <name>', 'name of the business')
    .option('--country <code>', 'country, ISO 3166-1 alpha-2')
    .option('--currency <code>', 'default currency, ISO 4217')
    .option('--timezone <zone>', 'IANA time zone')
    .action(
      async ({ json, ...input }: { name: string; country?: string; currency?: string; timezone?: string } & Json) => {
        const made = await withDatabase(({ client }) => createTenant(client, input));
        if (json) printJson(made);
        else print(`Tenant ${made.name} is open: ${made.id}`);
      },
    );
  asJson(tenant.command('list').description('list all tenants, including closed ones')).action(
    async ({ json }: Json) => {
      const tenants = await withDatabase(({ client }) => listTenants(client));
      if (json) return printJson(tenants);
      for (const { id, name, country, defaultCurrency, timezone, closedAt, test } of tenants) {
        const state = closedAt ? `closed ${formatTime(closedAt)}` : test ? 'test' : 'open';
        printRow(id, name, country, defaultCurrency, timezone, state);
      }
    },
  );
  asJson(tenant.command('close').description('close a tenant; requests with its tokens are then answered 403'))
    .argument('<id>')
    .option('--confirm <name>', "the tenant's name, instead of being asked")
    .option('--yes', "don't ask")
    .action(async (id: string, { confirm: given, yes, json }: Confirmed & { confirm?: string } & Json) => {
      await withDatabase(async ({ client }) => {
        const { name } = await findTenant(client, id);
        if (given !== undefined && given !== name)
          throw new RefusedError(`That isn't its name. To close it: --confirm "${name}"`);
        await confirm(`Nobody can use "${name}" any more until it is reopened.`, name, yes === true || given === name);
        await closeTenant(client, id);
      });
      if (json) printJson({ id, closed: true });
      else
        print(
          `Tenant ${id} is closed. For ${closedDays} days at least it can be reopened: tenant reopen ${id}. Then: tenant delete ${id}`,
        );
    });
  asJson(tenant.command('reopen').description('reopen a closed tenant; its tokens and members have access again'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      await withDatabase(({ client }) => reopenTenant(client, id));
      if (json) printJson({ id, closed: false });
      else print(`Tenant ${id} is open.`);
    });
  addDelete(tenant);
}

interface Confirmed {
  yes?: true;
}

function addDelete(tenant: Command): void {
  asJson(
    tenant
      .command('delete')
      .description(
        `delete a tenant with all that it has, ${closedDays} days after it was closed; prints a certificate`,
      ),
  )
    .argument('<id>')
    .option('--yes', "don't ask")
    .action(async (id: string, { yes, json }: Confirmed & Json) => {
      const certificate = await withDatabase(async ({ client, pool }) => {
        const found = await client.tenant.findFirst({ where: { id: checkedId('tenant', id) } });
        // After a deletion that has begun, there is nothing to ask.
        if (found?.closedAt && !found.deletionStartedAt)
          await confirm(`All books of "${found.name}" will be deleted for good.`, found.name, yes === true);
        const storage = await openStorage(readConfig(process.env));
        const pause = startPace(new AbortController().signal);
        return deleteTenant({ client, pool }, storage, { id, by: userInfo().username, now: currentTime, pause });
      });
      // Not in REST's names, which would differ from the text of the hash.
      write(`${JSON.stringify(certificate, null, json ? 0 : 2)}\n`);
    });
}

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('API tokens');
  asJson(token.command('create').description('make a token; its value is shown only once'))
    .option('--tenant <id>', 'the tenant that the token can access')
    .option('--no-tenant', 'a token bound to no tenant')
    .option('--user <email>', "owner of the token; default: the tenant's only user")
    .option('--name <name>')
    .option('--abilities <list>', '*, read, write, or <resource>:read|write, comma-separated')
    .option('--trusted-documents', 'its GraphQL requests may only name trusted documents')
    .option('--requests-per-minute <n>', 'a limit of its own; default: RATE_LIMIT_PER_MINUTE')
    .option('--expires <time>', 'ISO 8601 day or time')
    .action(async (options: TokenOptions & Json) => {
      const { tenant, user, name, abilities, trustedDocuments, requestsPerMinute, expires, json } = options;
      if (tenant === undefined) throw new RefusedError('Specify a tenant with --tenant ID, or use --no-tenant');
      const made = await withDatabase(({ client }) =>
        createToken(client, {
          tenantId: tenant === false ? null : tenant,
          ...(user && { userEmail: user }),
          ...(name && { name }),
          ...(abilities !== undefined && { abilities: abilities.split(',').map((ability) => ability.trim()) }),
          ...(trustedDocuments && { trustedDocuments }),
          ...(requestsPerMinute !== undefined && { requestsPerMinute: readLimit(requestsPerMinute) }),
          ...(expires && { expiresAt: pointInTime(expires) }),
        }),
      );
      if (json) return printJson(made);
      print(`Token ${made.id}. Its value is shown only once:`);
      print(made.token);
    });
  asJson(token.command('list').description('list tokens, without their values'))
    .option('--tenant <id>')
    .action(async ({ tenant: tenantId, json }: { tenant?: string } & Json) => {
      const [tokens, now] = await withDatabase(async ({ client }) => [
        await listTokens(client, { ...(tenantId && { tenantId }) }),
        currentTime(),
      ]);
      if (json) return printJson(tokens);
      for (const each of tokens) {
        const { id, name, user, lastFour, abilities } = each;
        printRow(id, name, user.email, `…${lastFour}`, abilities.join(','), describeState(each, now));
      }
    });
  asJson(token.command('limit').description("change a token's limit of requests; the next one is held to it"))
    .argument('<id>')
    .argument('<requests>', 'in any 60 seconds, or `default`')
    .action(async (id: string, requests: string, { json }: Json) => {
      const requestsPerMinute = requests === 'default' ? null : readLimit(requests);
      await withDatabase(({ client }) => limitToken(client, id, requestsPerMinute));
      if (json) printJson({ id, requestsPerMinute });
      else print(`Token ${id} has ${requestsPerMinute ?? 'the default number of'} requests a minute.`);
    });
  asJson(token.command('revoke').description('revoke a token; it stops working at once'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      await withDatabase(({ client }) => revokeToken(client, id));
      if (json) printJson({ id, revoked: true });
      else print(`Token ${id} is revoked.`);
    });
}

function describeState(
  { revokedAt, expiresAt, lastUsedAt }: Awaited<ReturnType<typeof listTokens>>[number],
  now: Date,
): string {
  if (revokedAt) return 'revoked';
  if (expiresAt && expiresAt <= now) return `expired ${formatTime(expiresAt)}`;
  return lastUsedAt ? `used ${formatTime(lastUsedAt)}` : 'unused';
}

interface TokenOptions {
  tenant?: string | false;
  user?: string;
  name?: string;
  abilities?: string;
  trustedDocuments?: true;
  requestsPerMinute?: string;
  expires?: string;
}

function readLimit(text: string): number {
  const max = readConfig(process.env).rateLimitMaxPerMinute;
  const requests = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (requests < 1 || requests > max)
    throw new RefusedError(`A token's limit must be a whole number from 1 to ${max}, not "${text}"`);
  return requests;
}

function pointInTime(text: string): Date {
  // Date makes 3 March of 31 February.
  const isDay = parseDay(text.slice(0, 10)) !== undefined && /^.{10}(T.+)?$/.test(text);
  const time = isDay ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime())) throw new RefusedError(`--expires must be an ISO 8601 day or time, not "${text}"`);
  return time;
}
