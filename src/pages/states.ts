// Loads the whole schema first: its files refer to one another, and expect this order.
import { toSchema } from '../../schema/index.ts';
import { isEnumType } from 'graphql';
import { routes } from '../../rest-shim/routes.ts';
import { transitions, type Transition } from '../../schema/rows/states.ts';
import { drawStates } from './state-diagram.ts';
import { formatTable } from './tables.ts';

// The page /docs/states, drawn from the transitions by which the mutations check the state.

const schema = toSchema();

export type Model = keyof typeof transitions;

interface Resource {
  model: Model;
  title: string;
  /** The enum of the schema with its states. */
  states: string;
  about?: string;
}

const resources: Resource[] = [
  {
    model: 'Invoice',
    title: 'Invoices',
    states: 'InvoiceStatus',
    about: 'A partly paid invoice stays issued. `is_overdue` is no state: it follows from the day.',
  },
  {
    model: 'Receipt',
    title: 'Receipts',
    states: 'ReceiptStatus',
    about: 'In REST, a reversed receipt is as if deleted.',
  },
  { model: 'BankTransaction', title: 'Bank transactions', states: 'MatchStatus' },
  {
    model: 'Delivery',
    title: 'Deliveries of webhooks',
    states: 'DeliveryState',
    about: 'What has ended doesn’t change: a redelivery is a new delivery of the same event.',
  },
  { model: 'BulkOperation', title: 'Bulk operations', states: 'BulkOperationStatus' },
  { model: 'Export', title: 'Exports', states: 'ExportStatus' },
];

const toWord = (state: string): string => state.toLowerCase();
const code = (text: string): string => `\`${text}\``;
const listCodes = (states: readonly string[]): string => states.map((state) => code(toWord(state))).join(', ');

/** The states of a model, first the one that others come from. */
function listStates({ model, states }: Resource): { name: string; description: string }[] {
  const type = schema.getType(states);
  if (!isEnumType(type)) throw new Error(`The schema has no enum ${states}`);
  const order: string[] = Object.values<Transition>(transitions[model]).flatMap(({ to }) => to);
  return type
    .getValues()
    .map(({ name, description }) => ({ name, description: description ?? '' }))
    .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** Each arrow once, with the numbers of its transitions. Those that create or delete are no arrows, but the first state's. */
function listArrows(model: Model): { from: string; to: string; numbers: number[] }[] {
  const arrows = new Map<string, { from: string; to: string; numbers: number[] }>();
  for (const [index, { from, to }] of Object.values<Transition>(transitions[model]).entries())
    for (const start of from)
      for (const end of to) {
        if (start === end) continue;
        const arrow = arrows.get(`${start} ${end}`) ?? { from: start, to: end, numbers: [] };
        arrow.numbers.push(index + 1);
        arrows.set(`${start} ${end}`, arrow);
      }
  return [...arrows.values()];
}

/** The mutations as GraphQL and REST name them. */
function formatOperation(mutation: string): string {
  const route = routes.find(([, , operation]) => operation === mutation);
  return route ? `${code(mutation)} (${code(`${route[0]} ${route[1].replace(':id', '{id}')}`)})` : code(mutation);
}

/** The diagram of a model as Mermaid has it, for the page as Markdown. The page as HTML has drawStates() in its place. */
const formatMermaid = (resource: Resource): string =>
  [
    `\`\`\`mermaid states=${resource.model}`,
    'stateDiagram-v2',
    `  [*] --> ${toWord(listStates(resource)[0]?.name ?? '')}`,
    ...listArrows(resource.model).map(
      ({ from, to, numbers }) => `  ${toWord(from)} --> ${toWord(to)}: ${numbers.join()}`,
    ),
    '```',
  ].join('\n');

function formatResource(resource: Resource): string {
  const rows = Object.values<Transition>(transitions[resource.model]).map(({ from, to, by, when = '' }, index) => [
    String(index + 1),
    from.length === 0 ? 'new' : listCodes(from),
    to.length === 0 ? 'deleted' : listCodes(to),
    by.map(formatOperation).join('<br>') || 'a job',
    when,
  ]);
  return [
    `## ${resource.title}`,
    ...(resource.about === undefined ? [] : [resource.about]),
    formatMermaid(resource),
    formatTable(
      ['state', 'means'],
      listStates(resource).map(({ name, description }) => [code(toWord(name)), description]),
    ),
    formatTable(['no.', 'from', 'to', 'by', 'when'], rows),
  ].join('\n\n');
}

export function buildStates(): string {
  return [
    '# States and transitions',
    'What leads from which state to which, as the service checks it. GraphQL writes states in capitals. A transition from another state is refused with [422](/docs/errors), `wrong_state` or `not_a_draft`. Numbers at the arrows are those of the tables.',
    ...resources.map(formatResource),
    '## Credit notes',
    'A credit note has no states: it is created as issued, and doesn’t change. Refunds count in its `amount_refunded`, by `refundCreditNote`.',
  ].join('\n\n');
}

/** The diagram in place of a fence `mermaid states=MODEL`. @throws Error for an unknown model */
export function drawModel(model: string): string {
  const resource = resources.find((each) => each.model === model);
  if (!resource) throw new Error(`A page draws the states of ${model}, which states.ts lacks`);
  const arrows = listArrows(resource.model).map(({ from, to, numbers }) => ({
    from: toWord(from),
    to: toWord(to),
    label: numbers.join(', '),
  }));
  return drawStates(
    resource.title,
    listStates(resource).map(({ name }) => toWord(name)),
    arrows,
  );
}
