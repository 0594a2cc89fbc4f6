// Loads the whole schema first: its files refer to one another, and expect this order.
import '../../schema/index.ts';
import { resources } from '../../schema/resource-list.ts';
import { routes } from '../../rest-shim/routes.ts';
import { abilities, abilityScopes, type AbilityScope } from '../../schema/graphql/ability.ts';
import { events, eventTypes } from '../../schema/events/events.ts';
import { charts, taxKey } from '../../schema/exports/datev/accounts.ts';
import { excesses, limits } from '../server/graphql/document-limits.ts';
import { limitGroups } from './limits.ts';

const number = new Intl.NumberFormat('en');

type Cells = readonly string[];

/** A Markdown table. */
export const formatTable = (head: Cells, rows: Cells[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (text: string): string => `\`${text}\``;

/** The subject of each scope of abilities that has another name than the resource. */
const otherScopes: Record<Exclude<AbilityScope, (typeof resources)[number]['scope']>, string> = {
  company: 'the company profile: name, addresses, tax numbers, bank account, logo',
  documents: "trusted documents of the tenant's front ends",
  'bulk-operations': 'bulk operations, and their results',
  'test-tenants': 'test tenants',
  exports: 'exports, and their files',
  audit: 'the audit log: who changed what, of that which the token may read',
  webhooks: 'webhooks, their deliveries, and the event log',
};

function buildAbilities(): string {
  const subjects = Map.groupBy(resources, ({ scope }) => scope as AbilityScope);
  const row = (scope: AbilityScope): Cells => {
    const names = subjects.get(scope)?.map(({ path }) => path.replaceAll('-', ' ')) ?? [];
    const about = names.join(' and ') || otherScopes[scope as keyof typeof otherScopes];
    const ofScope = abilities.filter((ability) => ability.startsWith(`${scope}:`));
    return [ofScope.map(code).join(', '), `${ofScope.length > 1 ? 'read, or change' : 'read'}: ${about}`];
  };
  return formatTable(
    ['ability', 'allows the token to'],
    [
      [code('*'), 'do everything; the default'],
      [code('read'), 'read everything'],
      [code('write'), 'change everything'],
      ...abilityScopes.map(row),
    ],
  );
}

const buildEvents = (): string =>
  formatTable(
    ['event', 'when'],
    [
      ...eventTypes.map((type) => [code(type), events[type]]),
      [code('webhook.ping'), 'somebody pings the webhook; always sent'],
    ],
  );

/** The state changes that REST has, besides creating and deleting. */
function buildTransitions(): string {
  const transitions = routes.filter(([method, path]) => method === 'POST' && path.includes('/:id/'));
  return formatTable(
    ['REST', 'GraphQL'],
    transitions.map(([method, path, operation]) => [code(`${method} ${path.replace(':id', '{id}')}`), code(operation)]),
  );
}

const documentLimits: Record<keyof typeof limits, string> = {
  characters: 'characters; longer values belong into variables',
  tokens: 'tokens of its text',
  fragments: 'fragments',
  aliases: 'aliases',
  directives: 'directives',
  introspections: 'fields `__schema` and `__type`',
  depth: 'fields within fields',
  breadth: 'fields; those of a fragment count each time that it is spread',
  cost: 'values that it asks for, [as counted below](#what-a-graphql-document-costs)',
};

function buildDocumentLimits(): string {
  const names = Object.keys(documentLimits) as (keyof typeof limits)[];
  return formatTable(
    ['a GraphQL document has at most', '', 'else'],
    names.map((name) => [documentLimits[name], number.format(limits[name]), code(excesses[name].code)]),
  );
}

/** One table for each subject, so that a reader finds a limit. */
const buildLimits = (): string =>
  Object.entries(limitGroups)
    .map(([subject, rows]) => formatTable([subject, 'limit'], Object.entries(rows)))
    .join('\n\n');

/** The accounts of DATEV's charts that an export books to, and the tax keys. */
function buildDatevAccounts(): string {
  const row = (what: string, account: (chart: typeof charts.SKR03) => string, key = ''): Cells => [
    what,
    account(charts.SKR03),
    account(charts.SKR04),
    key,
  ];
  const keyed = (category: 'output' | 'S' | 'AE' | 'K') =>
    ['19', '7']
      .flatMap((rate) => taxKey(category, rate) ?? [])
      .map(code)
      .join(', ');
  return formatTable(
    ['booked', 'SKR03', 'SKR04', 'tax key'],
    [
      row('sales, 19 %', ({ revenue }) => revenue.standard['19'] ?? ''),
      row('sales, 7 %', ({ revenue }) => revenue.standard['7'] ?? ''),
      row('sales, other rates; their VAT', ({ revenue, vat }) => `${revenue.other}; ${vat.output.other}`),
      row('sales, a rate of the customer’s member state', ({ revenue }) => revenue.otherState),
      row('sales, `Z`', ({ revenue }) => revenue.Z),
      row('sales, `E`', ({ revenue }) => revenue.E),
      row('sales, `K`', ({ revenue }) => revenue.K),
      row('sales, `G`', ({ revenue }) => revenue.G),
      row(
        'sales, `AE`: in Germany; elsewhere in the EU',
        ({ revenue: { reverseCharge } }) => `${reverseCharge.domestic}; ${reverseCharge.otherState}`,
      ),
      row(
        'sales, `O`: elsewhere in the EU; outside',
        ({ revenue: { outside } }) => `${outside.otherState}; ${outside.elsewhere}`,
      ),
      row('receipts, `S` 19 %, 7 %', ({ expense }) => expense.usual, keyed('S')),
      row('receipts, `S` of another country, with their VAT', ({ expense }) => expense.usual, 'none'),
      row('receipts, `AE` 19 %, 7 %', ({ expense }) => expense.usual, keyed('AE')),
      row('receipts, `K` 19 %, 7 %', ({ expense }) => expense.usual, keyed('K')),
      ...Object.keys(charts.SKR03.expense.byCategory).map((category) =>
        row(
          `receipts of the category \`${category}\``,
          ({ expense }) => expense.byCategory[category] ?? '',
          'as above',
        ),
      ),
      row('import VAT', ({ vat }) => vat.import),
      row(
        'cash discount: granted; received',
        ({ cashDiscount }) => `${cashDiscount.granted}; ${cashDiscount.received}`,
        keyed('output'),
      ),
      row('bank', ({ bank }) => bank),
      row('bank fees', ({ loss }) => loss.fee),
      row('written off: receivables; payables', ({ loss, gain }) => `${loss.writeOff}; ${gain}`),
    ],
  );
}

/** The tables of the guides that say what the code has. A guide writes `{{table:events}}`. */
const tables: Record<string, () => string> = {
  abilities: buildAbilities,
  datevAccounts: buildDatevAccounts,
  documentLimits: buildDocumentLimits,
  events: buildEvents,
  limits: buildLimits,
  transitions: buildTransitions,
};

/**
 * Replaces `{{table:name}}` by that table.
 * @throws Error naming an unknown table, so that the build fails
 */
export const withTables = (text: string): string =>
  text.replaceAll(/\{\{table:(\w+)\}\}/g, (_, name: string) => {
    const build = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (!build) throw new Error(`A guide names the table ${name}, which tables.ts lacks`);
    return build();
  });
