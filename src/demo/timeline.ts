import { runOperation } from '../../rest-shim/operation.ts';
import type { Context } from '../../schema/graphql/context.ts';
import { compileDocument, type RunDocument } from '../../schema/graphql/execution/compile-document.ts';
import type { Domain } from '../domain.ts';

/** A calendar day. */
export type Day = Temporal.PlainDate;

/** One of the values, in turn. */
export const pick = <T>(values: readonly [T, ...T[]], index: number): T => values[index % values.length] ?? values[0];

const documents = {
  bookReceipt: 'mutation ($id: UUID!) { result: bookReceipt(id: $id) { id } }',
  cancelInvoice: 'mutation ($id: UUID!) { result: cancelInvoice(id: $id) { id } }',
  ignore: 'mutation ($id: UUID!) { result: ignoreBankTransaction(id: $id) { id } }',
  issueInvoice: 'mutation ($id: UUID!) { result: issueInvoice(id: $id) { id } }',
  match: `mutation ($id: UUID!, $matches: [MatchInput!]!) {
    result: matchBankTransaction(id: $id, matches: $matches) { id }
  }`,
  updateCompany: 'mutation ($input: UpdateCompanyInput!) { result: updateCompany(input: $input) { id } }',
  updateInvoice: `mutation ($id: UUID!, $input: UpdateInvoiceInput!) { result: updateInvoice(id: $id, input: $input) { id } }`,
  updateProject: `mutation ($id: UUID!, $input: UpdateProjectInput!) { result: updateProject(id: $id, input: $input) { id } }`,
  billProject: `mutation ($id: UUID!, $on: Date!) {
    result: billProject(projectId: $id, invoiceDate: $on, until: $on, vatRate: "0") {
      id items { title quantity unit unitPriceNet }
    }
  }`,
  invoice: 'query ($id: UUID!) { result: invoice(id: $id) { number amountDue } }',
} as const;

/**
 * The actions in the demo's books, each on its day. They are run in the order of their days by the domain's own mutations, so
 * that invoice numbers have no gaps and follow the dates. Actions after today are left out.
 */
export class Timeline {
  readonly today: Day;
  readonly #domain: Domain;
  readonly #context: Context;
  readonly #actions: { on: Day; act: () => Promise<unknown> }[] = [];
  readonly #compiled = new Map<string, RunDocument<unknown>>();
  #on: Day;

  /** @param contextAt creates the tenant's context with a clock */
  constructor(domain: Domain, contextAt: (clock: () => Date) => Context, { today, now }: { today: Day; now: Date }) {
    this.#domain = domain;
    const morning = (): number => Date.parse(`${this.#on.toString()}T09:30:00Z`);
    this.#context = contextAt(() => new Date(Math.min(morning(), now.getTime())));
    this.today = today;
    this.#on = today;
  }

  /** Schedules an action on a day, after earlier actions of that day. */
  on(day: Day, act: () => Promise<unknown>): void {
    if (Temporal.PlainDate.compare(day, this.today) <= 0) this.#actions.push({ on: day, act });
  }

  /** Runs all scheduled actions. */
  async run(): Promise<void> {
    for (const { on, act } of this.#actions.toSorted((a, b) => Temporal.PlainDate.compare(a.on, b.on))) {
      this.#on = on;
      await act();
    }
    this.#on = this.today;
  }

  get db(): Context['db'] {
    return this.#context.db;
  }

  /** Creates a resource by REST's operation of this name. @returns its id */
  async create(name: string, input: object): Promise<string> {
    const operation = this.#domain.operations.get(name);
    if (!operation) throw new Error(`There is no operation ${name}`);
    return ((await runOperation(operation, { input }, this.#context)) as { id: string }).id;
  }

  /** Asks the domain as a GraphQL client does. */
  async ask<T>(name: keyof typeof documents, variables: Record<string, unknown>): Promise<T> {
    const run = this.#compiled.get(name) ?? compileDocument(this.#domain.schema, documents[name]);
    this.#compiled.set(name, run);
    return (await run(variables, this.#context)) as T;
  }
}
