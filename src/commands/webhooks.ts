import { Option, type Command } from 'commander';
import { forTenant } from '../../prisma/client.ts';
import { isUuid } from '../../schema/scalars/scalars.ts';
import type { Database } from '../database.ts';
import { RefusedError } from '../identity/index.ts';
import { print, printJson, printRow } from '../output.ts';
import { asJson, withDatabase, type Json } from './database.ts';
import { ask } from './operator.ts';

/** Whose webhook it is. No statement sees several tenants' books, so each is asked. */
async function tenantOf({ client, books }: Database, id: string): Promise<string> {
  const tenants = isUuid(id) ? await client.tenant.findMany({ select: { id: true } }) : [];
  for (const tenant of tenants) {
    const webhook = await forTenant(books, tenant.id).webhook.findFirst({ where: { id, deletedAt: null } });
    if (webhook) return tenant.id;
  }
  throw new RefusedError(`Unknown webhook "${id}"`);
}

const fields = `id url description events active consecutiveFailures disabledAt lastSuccessAt lastFailureAt waiting formerSecretsUntil createdAt`;

interface Shown {
  id: string;
  url: string;
  events: string[];
  active: boolean;
  consecutiveFailures: number;
  waiting: number;
}

interface Made {
  webhook: Shown;
  secret: string;
}

/** A webhook's command that takes its id. */
const onOne = <T>(id: string, source: string, variables: object = {}): Promise<T> =>
  withDatabase(async (database) => ask<T>(database, await tenantOf(database, id), source, { id, ...variables }));

function sayMade({ webhook, secret }: Made, json: true | undefined): void {
  if (json) return printJson({ ...webhook, secret });
  print(`Webhook ${webhook.id} to ${webhook.url}. Its secret, shown this once:`);
  print(secret);
}

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('where events are sent');
  asJson(webhook.command('create').description('send events to an address; its secret is shown once'))
    .requiredOption('--tenant <id>')
    .requiredOption('--url <url>', 'https, at a public address')
    .option('--events <list>', 'names of events, comma-separated; default: all')
    .option('--description <text>')
    .action(async (options: { tenant: string; url: string; events?: string; description?: string } & Json) => {
      const { tenant, url, events, description, json } = options;
      const input = { url, description, ...(events && { events: events.split(',').map((event) => event.trim()) }) };
      const source = `mutation ($input: CreateWebhookInput!) { result: createWebhook(input: $input) { secret webhook { ${fields} } } }`;
      sayMade(await withDatabase((database) => ask<Made>(database, tenant, source, { input })), json);
    });
  asJson(webhook.command('list').description("a tenant's webhooks, and how they fare"))
    .requiredOption('--tenant <id>')
    .action(async ({ tenant, json }: { tenant: string } & Json) => {
      const source = `{ result: webhooks { ${fields} } }`;
      const webhooks = await withDatabase((database) => ask<Shown[]>(database, tenant, source, {}));
      if (json) return printJson(webhooks);
      for (const { id, url, events, active, consecutiveFailures, waiting } of webhooks) {
        printRow(
          id,
          url,
          events.join(','),
          active ? 'active' : 'off',
          `${consecutiveFailures} failed`,
          `${waiting} waiting`,
        );
      }
    });
  asJson(webhook.command('ping').description('send webhook.ping'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      const source = `mutation ($id: UUID!) { result: pingWebhook(id: $id) { id webhookId state createdAt } }`;
      const delivery = await onOne<{ id: string }>(id, source);
      if (json) printJson(delivery);
      else print(`A ping is on its way: delivery ${delivery.id}`);
    });
  asJson(
    webhook
      .command('rotate')
      .description('make a new secret; the one before signs beside it for 24 hours; at most twice in 24 hours'),
  )
    .argument('<id>')
    .addOption(
      new Option(
        '--immediately',
        'change X-Service-Signature over to the new secret at once; else it stays with the oldest that is good',
      ),
    )
    .action(async (id: string, { immediately, json }: { immediately?: true } & Json) => {
      const source = `mutation ($id: UUID!, $immediately: Boolean) {
        result: rotateWebhookSecret(id: $id, immediately: $immediately) { secret webhook { ${fields} } } }`;
      sayMade(await onOne<Made>(id, source, { immediately }), json);
    });
  asJson(webhook.command('enable').description('make a deactivated or paused webhook active again'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      const enabled = await onOne<Shown>(id, `mutation ($id: UUID!) { result: enableWebhook(id: $id) { ${fields} } }`);
      if (json) printJson(enabled);
      else print(`Webhook ${id} is active.`);
    });
  asJson(webhook.command('delete').description('send nothing more; the audit log stays'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      await onOne(id, `mutation ($id: UUID!) { result: deleteWebhook(id: $id) { id } }`);
      if (json) printJson({ id, deleted: true });
      else print(`Webhook ${id} is deleted.`);
    });
}
