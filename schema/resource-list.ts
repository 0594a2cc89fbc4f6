import { countedRows, type Prisma } from '../prisma/client.ts';

/**
 * The resources of the API, in the order in which documents list them. Abilities, events, row counts, and REST's operations
 * follow from this list. CONTRIBUTING.md#a-new-resource says what else a resource needs.
 */
export const resources = [
  { model: 'Customer', name: 'customer', path: 'customers', scope: 'customers', state: countedRows.Customer },
  { model: 'Invoice', name: 'invoice', path: 'invoices', scope: 'invoices', state: countedRows.Invoice },
  { model: 'CreditNote', name: 'credit_note', path: 'credit-notes', scope: 'invoices', state: countedRows.CreditNote },
  { model: 'Receipt', name: 'receipt', path: 'receipts', scope: 'receipts', state: countedRows.Receipt },
  { model: 'Project', name: 'project', path: 'projects', scope: 'projects', state: countedRows.Project },
  { model: 'TimeEntry', name: 'time_entry', path: 'time-entries', scope: 'time-entries', state: countedRows.TimeEntry },
  {
    model: 'BankAccount',
    name: 'bank_account',
    path: 'bank-accounts',
    scope: 'bank-transactions',
    state: countedRows.BankAccount,
  },
  {
    model: 'BankTransaction',
    name: 'bank_transaction',
    path: 'bank-transactions',
    scope: 'bank-transactions',
    state: countedRows.BankTransaction,
  },
  // It says what is paid of both.
  {
    model: 'Payment',
    name: 'payment',
    path: 'payments',
    scope: 'invoices',
    also: 'receipts',
    state: countedRows.Payment,
  },
] as const satisfies {
  model: Prisma.ModelName;
  /** The first part of its events' names, and its key in their `data`. */
  name: string;
  /** REST's collection. */
  path: string;
  /** The first part of its abilities. A document about another resource has that resource's. */
  scope: string;
  /** The first part of another ability that reading all of them takes, too. */
  also?: string;
  /** The field by whose value triggers count rows, beside counting all of them; null where there is none. */
  state: string | null;
}[];

export type Resource = (typeof resources)[number];

/** Has events as a resource has, but is no part of the books: the change feed and their exports leave it out. */
const bulkOperation = {
  model: 'BulkOperation',
  name: 'bulk_operation',
  path: 'bulk-operations',
  scope: 'bulk-operations',
} as const;

/** As bulk operations: no part of the books. */
const exportOfBooks = { model: 'Export', name: 'export', path: 'exports', scope: 'exports' } as const;

/** An anchor, as the event of the books has it (DECISIONS.md#d144-anchors). */
const books = { model: 'Anchor', name: 'books', path: 'anchors', scope: 'audit' } as const;

/** The resources that events can be about. */
export const eventResources = [...resources, bulkOperation, exportOfBooks, books] as const;

export type EventResource = (typeof eventResources)[number];

/** The abilities that it takes to read all rows of a resource, or its events. */
export const readAbilities = (resource: EventResource): `${EventResource['scope']}:read`[] => [
  `${resource.scope}:read`,
  ...('also' in resource ? ([`${resource.also}:read`] as const) : []),
];

export const resourceNamed = (name: string): Resource | undefined => resources.find((each) => each.name === name);
