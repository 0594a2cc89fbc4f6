import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { delegateName } from '../../../prisma/client.ts';
import { eventResources } from '../../../schema/resource-list.ts';
import { findResource, type EventType } from '../../../schema/events/events.ts';
import { attach, makeAttachment, sending } from '../../attachments/files.ts';
import { camt, imported } from '../../bank/statement.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { samples } from '../../resources.ts';
import {
  eventsDuring,
  item,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../books.ts';

// Every mutation of the schema tells of what it changes. A new mutation gets a row here, or a reason why it has no event.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

/** Mutations of what isn't part of the books. */
const withoutEvents: Record<string, string> = {
  startBulkOperation: 'Its job does what the lines say, and tells of its end.',
  createExport: 'Its job writes the file, and tells of its end.',
  ...Object.fromEntries(
    ['createWebhook', 'updateWebhook', 'enableWebhook', 'rotateWebhookSecret', 'deleteWebhook'].map((name) => [
      name,
      'A webhook receives events. Telling it of itself would tell whoever took it over.',
    ]),
  ),
  updateCompany: 'A setting of the tenant. Issued invoices keep what they said.',
  pingWebhook: 'webhook.ping is sent to this webhook only, and concerns no resource.',
  ...Object.fromEntries(
    ['importCustomers', 'importProjects', 'importInvoices', 'importReceipts', 'importTimeEntries'].map((name) => [
      name,
      'Books that move in have happened elsewhere. The change feed has every row.',
    ]),
  ),
  ...Object.fromEntries(
    ['createTestTenant', 'resetTestTenant', 'deleteTestTenant', 'setTestClock'].map((name) => [
      name,
      'Test tenants are no part of the books.',
    ]),
  ),
  simulateWebhookFailures: 'It is about deliveries, and no part of the books.',
  simulateBankTransaction: 'As importBankStatement: test/test-tenants/simulated-payments.test.ts.',
  setPeriodLock: 'A setting. The audit log has it.',
  registerDocuments: "Front ends' documents are no part of the books.",
  deleteDocument: "Front ends' documents are no part of the books.",
  redeliver: 'Sends an event again.',
  redeliverMissed: 'Sends events again.',
  ...Object.fromEntries(
    [
      ['createApiToken', 'updateApiToken', 'revokeApiToken', 'revokeSession', 'revokeOtherSessions'],
      ['inviteMember', 'revokeInvitation', 'removeMember'],
    ]
      .flat()
      .map((name) => [name, 'Access belongs to users and is no part of the books.']),
  ),
};

/** Makes what a mutation needs. @returns the mutation, to be run */
type Prepare = () => Promise<() => Promise<unknown>>;

const call = (mutation: string, args: string) => () => acme.graphql(`mutation { ${mutation}(${args}) { id } }`);

const onId =
  (mutation: string, make: () => Promise<string>, args = ''): Prepare =>
  async () =>
    call(mutation, `id: "${await make()}", ${args}`);

const updating =
  (model: 'BankAccount' | 'Customer' | 'Invoice' | 'Receipt' | 'Project' | 'TimeEntry' | 'Payment'): Prepare =>
  async () => {
    const { make, change } = samples[model];
    const id = await make(acme);
    const document = `mutation ($id: UUID!, $input: Update${model}Input!) { update${model}(id: $id, input: $input) { id } }`;
    return () => acme.graphql(document, { id, input: change });
  };

const issued = () => makeInvoice(acme, { status: 'ISSUED' });
const booked = () => makeReceipt(acme, { status: 'BOOKED' });

const billable = async (): Promise<string> => {
  const projectId = await makeProject(acme, { customerId: await makeCustomer(acme), hourlyRateNet: '60' });
  for (const date of ['2026-03-01', '2026-03-02']) await makeTimeEntry(acme, { projectId, date });
  return projectId;
};
const billed = async (): Promise<string> =>
  (await acme.graphql(`mutation { made: billProject(projectId: "${await billable()}", vatRate: "19") { id } }`)).made
    .id;

const matched = async (parts: () => Promise<string>, amount = '119'): Promise<string> => {
  const id = await makeBankTransaction(acme, { amount, amountOpen: amount });
  await acme.graphql(`mutation { matchBankTransaction(id: "${id}", matches: [${await parts()}]) { id } }`);
  return id;
};
const invoicePart = async () => `{ type: INVOICE, id: "${await issued()}" }`;
const receiptPart = async () => `{ type: RECEIPT, id: "${await booked()}" }`;
const creditNotePart = async () => `{ type: CREDIT_NOTE, id: "${await makeCreditNote(acme)}" }`;
const twoInvoices = async () => `${await invoicePart()}, ${await invoicePart()}`;

const emitted: Record<string, [what: string, prepare: Prepare, events: EventType[]][]> = {
  createCustomer: [['', async () => () => makeCustomer(acme), ['customer.created']]],
  updateCustomer: [['', updating('Customer'), ['customer.updated']]],
  deleteCustomer: [['', onId('deleteCustomer', () => makeCustomer(acme)), ['customer.deleted']]],

  createBankAccount: [
    [
      '',
      async () => call('createBankAccount', `input: { iban: "${randomUUID()}", name: "Giro" }`),
      ['bank_account.created'],
    ],
  ],
  updateBankAccount: [['', updating('BankAccount'), ['bank_account.updated']]],

  addAttachment: [
    [
      '',
      async () => {
        const [send, id] = [sending(service, acme), await makeReceipt(acme)];
        return () => attach(send, id);
      },
      ['receipt.updated'],
    ],
  ],
  deleteAttachment: [
    [
      '',
      async () => {
        const receiptId = await makeReceipt(acme);
        return call('deleteAttachment', `receiptId: "${receiptId}", id: "${await makeAttachment(acme, receiptId)}"`);
      },
      ['receipt.updated'],
    ],
  ],

  createProject: [['', async () => () => makeProject(acme), ['project.created']]],
  updateProject: [['', updating('Project'), ['project.updated']]],
  deleteProject: [['', onId('deleteProject', () => makeProject(acme)), ['project.deleted']]],
  billProject: [
    [
      '',
      async () => call('billProject', `projectId: "${await billable()}", vatRate: "19"`),
      ['invoice.created', 'time_entry.billed', 'time_entry.billed'],
    ],
  ],

  createTimeEntry: [
    [
      '',
      async () => {
        const projectId = await makeProject(acme);
        return () => makeTimeEntry(acme, { projectId });
      },
      ['time_entry.created'],
    ],
  ],
  updateTimeEntry: [['', updating('TimeEntry'), ['time_entry.updated']]],
  deleteTimeEntry: [['', onId('deleteTimeEntry', () => makeTimeEntry(acme)), ['time_entry.deleted']]],

  createInvoice: (
    [
      ['DRAFT', ['invoice.created']],
      ['ISSUED', ['invoice.created', 'invoice.issued']],
      ['PAID', ['invoice.created', 'invoice.issued', 'invoice.payment_recorded', 'invoice.paid', 'payment.recorded']],
    ] as const
  ).map(([status, events]) => [
    status,
    async () => {
      const customerId = await makeCustomer(acme);
      return () => makeInvoice(acme, { customerId, status });
    },
    [...events],
  ]),
  updateInvoice: [
    ['', updating('Invoice'), ['invoice.updated']],
    [
      'items alone',
      onId(
        'updateInvoice',
        () => makeInvoice(acme),
        'input: { items: [{ title: "Advice", quantity: "1", unitPriceNet: "100", vatRate: "19" }] }',
      ),
      ['invoice.updated'],
    ],
  ],
  issueInvoice: [
    ['', onId('issueInvoice', () => makeInvoice(acme)), ['invoice.issued']],
    [
      'of zero',
      onId('issueInvoice', () => makeInvoice(acme, { items: [{ ...item, unitPriceNet: '0' }] })),
      ['invoice.issued', 'invoice.paid'],
    ],
  ],
  cancelInvoice: [
    ['', onId('cancelInvoice', issued), ['credit_note.created', 'credit_note.issued', 'invoice.cancelled']],
    [
      'that bills time',
      onId('cancelInvoice', async () => {
        const id = await billed();
        await call('issueInvoice', `id: "${id}"`)();
        return id;
      }),
      ['credit_note.created', 'credit_note.issued', 'time_entry.unbilled', 'time_entry.unbilled', 'invoice.cancelled'],
    ],
  ],
  deleteInvoice: [
    ['', onId('deleteInvoice', () => makeInvoice(acme)), ['invoice.deleted']],
    [
      'that bills time',
      onId('deleteInvoice', billed),
      ['invoice.deleted', 'time_entry.unbilled', 'time_entry.unbilled'],
    ],
  ],
  payInvoice: [
    ['in part', onId('payInvoice', issued, 'amount: "1"'), ['invoice.payment_recorded', 'payment.recorded']],
    ['in full', onId('payInvoice', issued), ['invoice.payment_recorded', 'invoice.paid', 'payment.recorded']],
  ],

  createCreditNote: [
    [
      'of a part',
      async () => {
        const amounts = [{ vatRate: '19', net: '1' }];
        const invoiceId = await issued();
        return () => makeCreditNote(acme, { invoiceId, amounts });
      },
      ['credit_note.created', 'credit_note.issued', 'invoice.credited'],
    ],
    [
      'of all that is due',
      async () => {
        const invoiceId = await issued();
        return () => makeCreditNote(acme, { invoiceId });
      },
      ['credit_note.created', 'credit_note.issued', 'invoice.credited', 'invoice.paid'],
    ],
    [
      'of a paid invoice',
      async () => {
        const invoiceId = await makeInvoice(acme, { status: 'PAID' });
        return () => makeCreditNote(acme, { invoiceId });
      },
      ['credit_note.created', 'credit_note.issued', 'invoice.credited'],
    ],
  ],

  refundCredit: [
    [
      '',
      async () => {
        const customerId = await makeCustomer(acme);
        const id = await makeInvoice(acme, { customerId, status: 'ISSUED' });
        await acme.rest('POST', `/invoices/${id}/payments`, { adjustments: [{ type: 'overpayment', amount: 30 }] });
        return () => acme.graphql(`mutation { refundCredit(id: "${customerId}") { id } }`);
      },
      ['payment.recorded'],
    ],
  ],

  refundCreditNote: [
    [
      '',
      onId('refundCreditNote', () => makeCreditNote(acme)),
      ['credit_note.refund_recorded', 'invoice.refund_recorded', 'payment.recorded'],
    ],
  ],

  createReceipt: [
    ['draft', async () => () => makeReceipt(acme), ['receipt.created']],
    ['booked', async () => booked, ['receipt.created', 'receipt.booked']],
  ],
  updateReceipt: [['', updating('Receipt'), ['receipt.updated']]],
  bookReceipt: [['', onId('bookReceipt', () => makeReceipt(acme)), ['receipt.booked']]],
  deleteReceipt: [
    ['a draft', onId('deleteReceipt', () => makeReceipt(acme)), ['receipt.deleted']],
    ['a booked receipt', onId('deleteReceipt', booked), ['receipt.deleted', 'receipt.reversed']],
  ],
  reverseReceipt: [['', onId('reverseReceipt', booked, 'reason: "x"'), ['receipt.deleted', 'receipt.reversed']]],
  payReceipt: [
    ['in part', onId('payReceipt', booked, 'amount: "1"'), ['receipt.payment_recorded', 'payment.recorded']],
    ['in full', onId('payReceipt', booked), ['receipt.payment_recorded', 'receipt.paid', 'payment.recorded']],
    ['of zero', onId('payReceipt', () => makeReceipt(acme, { status: 'BOOKED', amountGross: '0' })), ['receipt.paid']],
  ],
  updatePayment: [['', updating('Payment'), ['payment.updated']]],
  reversePayment: [
    [
      'of an invoice',
      onId('reversePayment', async () => makePayment(acme, await issued()), 'reason: "x"'),
      ['invoice.payment_reverted', 'payment.recorded', 'payment.reversed'],
    ],
    [
      'of a credit note',
      onId(
        'reversePayment',
        async () => {
          const refund = `mutation { refundCreditNote(id: "${await makeCreditNote(acme)}") { refunds { nodes { id } } } }`;
          return (await acme.graphql(refund)).refundCreditNote.refunds.nodes[0].id;
        },
        'reason: "x"',
      ),
      ['credit_note.refund_reverted', 'invoice.refund_reverted', 'payment.recorded', 'payment.reversed'],
    ],
    [
      'of a receipt',
      onId(
        'reversePayment',
        async () => {
          const pay = `mutation { payReceipt(id: "${await booked()}") { payments { nodes { id } } } }`;
          return (await acme.graphql(pay)).payReceipt.payments.nodes[0].id;
        },
        'reason: "x"',
      ),
      ['receipt.payment_reverted', 'payment.recorded', 'payment.reversed'],
    ],
  ],

  matchBankTransaction: [
    [
      'with an invoice',
      async () => {
        const id = await makeBankTransaction(acme);
        return call('matchBankTransaction', `id: "${id}", matches: [${await invoicePart()}]`);
      },
      ['invoice.payment_recorded', 'invoice.paid', 'payment.recorded', 'bank_transaction.matched'],
    ],
    [
      'with a part of a receipt',
      async () => {
        const id = await makeBankTransaction(acme, { amount: '-19', amountOpen: '-19' });
        return call('matchBankTransaction', `id: "${id}", matches: [${await receiptPart()}]`);
      },
      ['receipt.payment_recorded', 'payment.recorded', 'bank_transaction.matched'],
    ],
    [
      'with a credit note',
      async () => {
        const id = await makeBankTransaction(acme, { amount: '-119', amountOpen: '-119' });
        return call('matchBankTransaction', `id: "${id}", matches: [${await creditNotePart()}]`);
      },
      ['credit_note.refund_recorded', 'invoice.refund_recorded', 'payment.recorded', 'bank_transaction.matched'],
    ],
  ],
  confirmExactMatches: [
    [
      '',
      async () => {
        const id = await issued();
        const { number } = await acme.db.invoice.findFirstOrThrow({ where: { id } });
        const transactionId = await makeBankTransaction(acme, { reference: number });
        return call('confirmExactMatches', `matches: [{ transactionId: "${transactionId}", id: "${id}" }]`);
      },
      ['invoice.payment_recorded', 'invoice.paid', 'payment.recorded', 'bank_transaction.matched'],
    ],
  ],
  unmatchBankTransaction: [
    [
      'from invoices',
      onId('unmatchBankTransaction', () => matched(twoInvoices, '238')),
      [
        'invoice.payment_reverted',
        'payment.recorded',
        'payment.reversed',
        'invoice.payment_reverted',
        'payment.recorded',
        'payment.reversed',
        'bank_transaction.unmatched',
      ],
    ],
    [
      'from a receipt',
      onId('unmatchBankTransaction', () => matched(receiptPart, '-119')),
      ['receipt.payment_reverted', 'payment.recorded', 'payment.reversed', 'bank_transaction.unmatched'],
    ],
    [
      'from a credit note',
      onId('unmatchBankTransaction', () => matched(creditNotePart, '-119')),
      [
        'credit_note.refund_reverted',
        'invoice.refund_reverted',
        'payment.recorded',
        'payment.reversed',
        'bank_transaction.unmatched',
      ],
    ],
  ],
  cancelExport: [['', onId('cancelExport', () => samples.Export.make(acme)), ['export.finished']]],
  cancelBulkOperation: [
    ['', onId('cancelBulkOperation', () => samples.BulkOperation.make(acme)), ['bulk_operation.finished']],
  ],
  ignoreBankTransaction: [
    ['', onId('ignoreBankTransaction', () => makeBankTransaction(acme)), ['bank_transaction.ignored']],
  ],
  unignoreBankTransaction: [
    [
      '',
      onId('unignoreBankTransaction', () => makeBankTransaction(acme, { matchStatus: 'IGNORED' })),
      ['bank_transaction.unignored'],
    ],
  ],
  importBankStatement: [
    [
      'that pays an invoice',
      async () => {
        const invoice = await issued();
        const { number } = (await acme.graphql(`{ invoice(id: "${invoice}") { number } }`)).invoice;
        const file = camt([{ amount: '119.00', name: 'Globex', reference: `Rechnung ${number}` }]);
        return () => imported(service, acme, file);
      },
      [
        'bank_account.created',
        'bank_transaction.created',
        'invoice.payment_recorded',
        'invoice.paid',
        'payment.recorded',
        'bank_transaction.matched',
      ],
    ],
  ],
};

/** Every row of every resource, as it is stored, by the resource's name and the id. */
async function storedRows(): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (const { model, name } of eventResources) {
    const delegate = acme.db[delegateName(model)] as unknown as { findMany(): Promise<{ id: string }[]> };
    for (const row of await delegate.findMany()) rows.set(`${name} ${row.id}`, JSON.stringify(row));
  }
  return rows;
}

it('every mutation has its events here, or a reason why it has none', async () => {
  const { __schema } = await acme.graphql('{ __schema { mutationType { fields { name } } } }');
  const names: string[] = __schema.mutationType.fields.map(({ name }: { name: string }) => name);
  expect([...Object.keys(emitted), ...Object.keys(withoutEvents)].toSorted()).toEqual(names.toSorted());
});

const rows = Object.entries(emitted).flatMap(([mutation, cases]) =>
  cases.map(([what, ...rest]) => [`${mutation} ${what}`.trim(), ...rest] as const),
);

describe('a mutation emits its events, at least one for each resource that it changes', () => {
  it.each(rows)('%s', async (_title, prepare, types) => {
    const run = await prepare();
    const before = await storedRows();
    const events = await eventsDuring(service, acme, run);
    expect(events.map(({ type }) => type).toSorted()).toEqual(types.toSorted());

    const after = await storedRows();
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (key) => before.get(key) !== after.get(key),
    );
    const named = events.map(({ type, body }) => {
      const { name } = findResource(type as EventType);
      return `${name} ${body.data[name].id}`;
    });
    expect(new Set(named)).toEqual(new Set(changed));
  });

  it.each(rows)('%s: the last event of a resource shows it as REST answers it', async (_title, prepare) => {
    const events = await eventsDuring(service, acme, await prepare());
    const last = new Map(
      events.map((event) => [
        JSON.stringify(Object.values(event.body.data).map((row) => (row as { id: string }).id)),
        event,
      ]),
    );
    for (const { type, body } of last.values()) {
      if (type.endsWith('.deleted')) continue;
      const { name, path } = findResource(type as EventType);
      const reversed = type === 'receipt.reversed' ? '?reversed=true' : '';
      const read = await acme.rest('GET', `/${path}/${body.data[name].id}${reversed}`);
      expect(body.data).toEqual({ [name]: read.body.data });
    }
  });
});

describe('a change that changes nothing emits no event, and leaves the row as it is', () => {
  it.each([
    ['Customer', '{}'],
    ['Customer', '{ companyName: "Globex", email: null, type: CUSTOMER }'],
    ['Project', '{ name: "Website", hourlyRateNet: null }'],
    ['TimeEntry', '{ durationMinutes: 60, date: "2026-03-01", description: null }'],
    ['Receipt', '{ amountGross: "119.00", vatRate: "19.0", currency: "EUR" }'],
    ['Invoice', '{ currency: "EUR", invoiceDate: "2026-03-01", subject: null }'],
    ['Invoice', '{ items: [{ title: " Advice", quantity: "1.0", unit: "h", unitPriceNet: "100.00", vatRate: "19" }] }'],
  ] as const)('update%s(input: %s)', async (model, input) => {
    const id = await samples[model].make(acme);
    const before = await storedRows();
    expect(await eventsDuring(service, acme, call(`update${model}`, `id: "${id}", input: ${input}`))).toEqual([]);
    expect(await storedRows()).toEqual(before);
  });
});
