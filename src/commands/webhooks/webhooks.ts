import { Option, type Command } from 'commander';
import { forTenant } from '../../../prisma/client.ts';
import { isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import type { Database } from '../../database/database.ts';
import { RefusedError } from '../../identity/index.ts';
import { print, printJson, printRow } from '../output.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { ask } from '../operator.ts';

/** The tenant of a webhook. No statement can read several tenants' books, so it queries one tenant after the other. */
async function findTenant({ client, books }: Database, id: string): Promise<string> {
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

interface WebhookWithSecret {
  webhook: Shown;
  secret: string;
}

/** Runs a document for the tenant of a webhook. */
const runOnWebhook = <T>(id: string, source: string, variables: object = {}): Promise<T> =>
  withDatabase(async (database) => ask<T>(database, await findTenant(database, id), source, { id, ...variables }));

function printWithSecret({ webhook, secret }: WebhookWithSecret, json: true | undefined): void {
  if (json) return printJson({ ...webhook, secret });
  print(`Webhook ${webhook.id} to ${webhook.url}. Its secret is shown only once:`);
  print(secret);
}

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('webhooks: addresses to which events are sent');
  asJson(webhook.command('create').description('create a webhook; its secret is shown only once'))
    .requiredOption('--tenant <id>')
    .requiredOption('--url <url>', 'https URL with a public address')
    .option('--events <list>', 'event names, comma-separated; default: all')
    .option('--description <text>')
    .action(async (options: { tenant: string; url: string; events?: string; description?: string } & Json) => {
      const { tenant, url, events, description, json } = options;
      const input = { url, description, ...(events && { events: events.split(',').map((event) => event.trim()) }) };
      const source = `mutation ($input: CreateWebhookInput!) { result: createWebhook(input: $input) { secret webhook { ${fields} } } }`;
      printWithSecret(
        await withDatabase((database) => ask<WebhookWithSecret>(database, tenant, source, { input })),
        json,
      );
    });
  asJson(webhook.command('list').description("list a tenant's webhooks with their state"))
    .requiredOption('--tenant <id>')
    .action(async ({ tenant, json }: { tenant: string } & Json) => {
      const source = `{ result: webhooks { nodes { ${fields} } } }`;
      const { nodes: webhooks } = await withDatabase((database) =>
        ask<{ nodes: Shown[] }>(database, tenant, source, {}),
      );
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
  asJson(webhook.command('ping').description('send the event webhook.ping'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      const source = `mutation ($id: UUID!) { result: pingWebhook(id: $id) { id webhookId state createdAt } }`;
      const delivery = await runOnWebhook<{ id: string }>(id, source);
      if (json) printJson(delivery);
      else print(`The ping will be sent: delivery ${delivery.id}`);
    });
  asJson(
    webhook
      .command('rotate')
      .description('make a new secret; the previous one stays valid for 24 hours; at most twice in 24 hours'),
  )
    .argument('<id>')
    .addOption(
      new Option(
        '--immediately',
        'X-Service-Signature uses the new secret at once; without this option, it uses the oldest valid one',
      ),
    )
    .action(async (id: string, { immediately, json }: { immediately?: true } & Json) => {
      const source = `mutation ($id: UUID!, $immediately: Boolean) {
        result: rotateWebhookSecret(id: $id, immediately: $immediately) { secret webhook { ${fields} } } }`;
      printWithSecret(await runOnWebhook<WebhookWithSecret>(id, source, { immediately }), json);
    });
  asJson(webhook.command('enable').description('activate a deactivated or paused webhook'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      const enabled = await runOnWebhook<Shown>(
        id,
        `mutation ($id: UUID!) { result: enableWebhook(id: $id) { ${fields} } }`,
      );
      if (json) printJson(enabled);
      else print(`Webhook ${id} is active.`);
    });
  asJson(webhook.command('delete').description('delete a webhook; its delivery log is kept'))
    .argument('<id>')
    .action(async (id: string, { json }: Json) => {
      await runOnWebhook(id, `mutation ($id: UUID!) { result: deleteWebhook(id: $id) { id } }`);
      if (json) printJson({ id, deleted: true });
      else print(`Webhook ${id} is deleted.`);
    });
}
