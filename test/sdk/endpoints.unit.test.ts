import { describe, expect, it } from 'vitest';
import { openApi, readEndpoints } from '../../src/sdk/endpoints.ts';
import { description, operations } from '../openapi/description.ts';

// The methods of the SDK follow from the OpenAPI description.

const api = description();

/** The methods that the SDK has for a description: `customers.list(query?: ListCustomersQuery): list of Customer`. */
const methodsOf = (document: unknown): string[] =>
  readEndpoints(openApi.parse(document)).map(({ resource, name, path, input, query, result }) => {
    const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id);
    const parameters = [...ids, input && `input: ${input.type}`, query && `query: ${query.type}`].filter(Boolean);
    return `${resource ? `${resource}.` : ''}${name}(${parameters.join(', ')}): ${result.kind} ${result.type}`;
  });

describe('the methods of the SDK', () => {
  it('are one for each operation of REST', () => {
    const names = methodsOf(api).map((method) => method.replace(/\(.*/, ''));
    // The client itself has methods for JSON Lines.
    expect(new Set(names).size).toBe(operations(api).length - 2);
  });

  it('have the names, parameters, and results that programs rely on', () => {
    expect(methodsOf(api)).toEqual(
      expect.arrayContaining([
        'me(): item Profile',
        'customers.list(query: ListCustomersQuery): list Customer',
        'customers.create(input: CreateCustomerInput): item Customer',
        'customers.get(id): item Customer',
        'customers.update(id, input: UpdateCustomerInput): item Customer',
        'customers.delete(id): nothing void',
        'invoices.issue(id): item Invoice',
        'invoices.cancel(id): item Invoice',
        'invoices.pay(id, input: PayInvoiceInput): item Invoice',
        'receipts.book(id): item Receipt',
        'events.list(query: ListEventsQuery): list Event',
        'changes.list(query: ListChangesQuery): body ChangeFeedPage',
        'timeEntries.list(query: ListTimeEntriesQuery): list TimeEntry',
        'bankTransactions.get(id): item BankTransaction',
        'testTenants.create(input: CreateTestTenantInput): item TestTenantWithToken',
        'testClock.set(input: SetTestClockInput): item TestClockTime',
        'testHelpers.simulateBankTransaction(input: SimulateBankTransactionInput): item BankTransaction',
        'testHelpers.simulateWebhookFailures(id, input: SimulateWebhookFailuresInput): item SimulatedFailures',
      ]),
    );
    for (const resource of ['customers', 'invoices', 'receipts', 'projects', 'timeEntries'])
      for (const name of ['create', 'get', 'delete', 'list'])
        expect(methodsOf(api)).toContainEqual(expect.stringMatching(new RegExp(`^${resource}\\.${name}\\(`)));
  });

  it('include a new path of REST by themselves', () => {
    const post = {
      operationId: 'sendInvoice',
      tags: ['Invoice'],
      summary: 'Sends an invoice',
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/UpdateCustomerInput' } } },
      },
      responses: api.paths['/invoices/{id}']!['get']!.responses,
    };
    const get = { ...api.paths['/customers']!['get']!, operationId: 'listDunningLevels', tags: ['Dunning level'] };
    const paths = { ...api.paths, '/invoices/{id}/send': { post }, '/dunning-levels': { get } };
    const added = methodsOf({ ...api, paths }).filter((method) => !methodsOf(api).includes(method));
    expect(added).toEqual([
      'invoices.send(id, input: UpdateCustomerInput): item Invoice',
      'dunningLevels.list(query: ListDunningLevelsQuery): list Customer',
    ]);
  });

  it('need a name for each type', () => {
    const post = {
      ...api.paths['/customers']!['post']!,
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    };
    expect(() => methodsOf({ ...api, paths: { '/customers': { post } } })).toThrow(
      'createCustomer has a type without a name',
    );
  });
});
