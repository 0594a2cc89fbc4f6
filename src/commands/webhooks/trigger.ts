import { Argument, type Command } from 'commander';
import { z } from 'zod';
import type { EventType } from '../../../schema/events/events.ts';
import { isDemoTenant } from '../../demo/tenants.ts';
import { print, printError } from '../output.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { buildConnection, withConnection, type ApiConnection } from '../remote/connection.ts';
import { askGraphql } from '../remote/graphql.ts';
import { SampleBooks } from './sample-books.ts';

/** Requests that cause each event. @returns the id of the resource that the event is about */
export const triggers: Record<EventType, (books: SampleBooks) => Promise<string>> = {
  'customer.created': (books) => books.customer(),
  'customer.updated': async (books) => books.update('Customer', await books.customer(), { city: 'Köln' }),
  'customer.deleted': async (books) => books.run('deleteCustomer', await books.customer()),

  'project.created': (books) => books.project(),
  'project.updated': async (books) => books.update('Project', await books.project(), { description: 'Changed' }),
  'project.deleted': async (books) => books.run('deleteProject', await books.project()),

  'time_entry.created': async (books) => books.timeEntry(await books.project()),
  'time_entry.updated': async (books) =>
    books.update('TimeEntry', await books.timeEntry(await books.project()), { durationMinutes: 90 }),
  'time_entry.billed': async (books) => (await books.billedTime()).timeEntry,
  'time_entry.unbilled': async (books) => {
    const { timeEntry, invoice } = await books.billedTime();
    await books.run('deleteInvoice', invoice);
    return timeEntry;
  },
  'time_entry.deleted': async (books) => books.run('deleteTimeEntry', await books.timeEntry(await books.project())),

  'invoice.created': (books) => books.invoice(),
  'invoice.updated': async (books) => books.update('Invoice', await books.invoice(), { subject: 'Changed' }),
  'invoice.issued': async (books) => books.run('issueInvoice', await books.invoice()),
  'invoice.payment_recorded': async (books) => (await books.pay('Invoice', await books.issuedInvoice(), '19')).id,
  'invoice.paid': async (books) => (await books.pay('Invoice', await books.issuedInvoice())).id,
  'invoice.payment_reverted': async (books) => {
    const { id, payment } = await books.pay('Invoice', await books.issuedInvoice());
    await books.run('reversePayment', payment);
    return id;
  },
  'invoice.credited': async (books) => (await books.creditNote()).invoice,
  'invoice.refund_recorded': async (books) => (await books.refund()).invoice,
  'invoice.refund_reverted': async (books) => (await books.undoneRefund()).invoice,
  'invoice.cancelled': async (books) => books.run('cancelInvoice', await books.issuedInvoice()),
  'invoice.deleted': async (books) => books.run('deleteInvoice', await books.invoice()),
  'invoice.overdue': (books) => books.overdueInvoice(),

  'credit_note.created': async (books) => (await books.creditNote()).id,
  'credit_note.issued': async (books) => (await books.creditNote()).id,

  'credit_note.refund_recorded': async (books) => (await books.refund()).id,
  'credit_note.refund_reverted': async (books) => (await books.undoneRefund()).id,

  'receipt.created': (books) => books.receipt(),
  'receipt.updated': async (books) => books.update('Receipt', await books.receipt(), { description: 'Changed' }),
  'receipt.booked': async (books) => books.run('bookReceipt', await books.receipt()),
  'receipt.payment_recorded': async (books) => (await books.pay('Receipt', await books.bookedReceipt(), '19')).id,
  'receipt.paid': async (books) => (await books.pay('Receipt', await books.bookedReceipt())).id,
  'receipt.payment_reverted': async (books) => {
    const { id, payment } = await books.pay('Receipt', await books.bookedReceipt());
    await books.run('reversePayment', payment);
    return id;
  },
  'receipt.reversed': (books) => books.receiptReversal(),
  'receipt.deleted': async (books) => books.run('deleteReceipt', await books.receipt()),

  'bank_account.created': (books) => books.bankAccount(),
  'bank_account.updated': async (books) => books.update('BankAccount', await books.bankAccount(), { name: 'Changed' }),

  'bank_transaction.created': (books) => books.bankTransaction(),
  'bank_transaction.matched': (books) => books.matchedTransaction(),
  'bank_transaction.unmatched': async (books) => books.run('unmatchBankTransaction', await books.matchedTransaction()),
  'bank_transaction.ignored': async (books) => books.run('ignoreBankTransaction', await books.bankTransaction()),
  'bank_transaction.unignored': async (books) =>
    books.run('unignoreBankTransaction', await books.run('ignoreBankTransaction', await books.bankTransaction())),

  'payment.recorded': async (books) => (await books.pay('Invoice', await books.issuedInvoice(), '19')).payment,
  'payment.updated': async (books) => {
    const { payment } = await books.pay('Invoice', await books.issuedInvoice());
    return books.update('Payment', payment, { metadata: { example: 'Changed' } });
  },
  'payment.reversed': async (books) => {
    const { payment } = await books.pay('Invoice', await books.issuedInvoice());
    return books.run('reversePayment', payment);
  },
  'bulk_operation.finished': (books) => books.bulkOperation(),
  'export.finished': (books) => books.exportOfCustomers(),

  'books.anchored': (books) => books.customer(),
};

export function addTriggerCommand(program: Command): void {
  const command = withConnection(
    program
      .command('trigger')
      .description('cause an event in the demo tenant, by the changes that lead to it')
      .addArgument(new Argument('<event>', 'such as invoice.paid').choices(Object.keys(triggers)))
      .option('--confirm <tenant>', "do it in another tenant's books: repeat its name"),
  );
  command.action(async (type: EventType) => {
    const connection = buildConnection(command);
    const { confirm }: { confirm?: string } = command.opts();
    await requireConsent(connection, confirm);
    const books = new SampleBooks(connection, (step) => printError(step));
    const resourceId = await triggers[type](books);
    const event = await findEvent(connection, type, resourceId);
    if (event) print(`${type} happened: event ${event}`);
    else print(`${type} is emitted by a job that runs every hour.`);
  });
}

const profile = z.object({
  me: z.object({ user: z.object({ email: z.string() }), tenant: z.object({ name: z.string() }) }),
});

/** Nobody should change real books by mistake. @throws CommandFailure */
async function requireConsent(connection: ApiConnection, confirmed: string | undefined): Promise<void> {
  const { me } = await askGraphql(connection, profile, '{ me { user { email } tenant { name } } }');
  if (isDemoTenant(me) || confirmed === me.tenant.name) return;
  throw new CommandFailure(
    exitCodes.usage,
    `"${me.tenant.name}" is not the demo tenant, and its books would change for good. To do it anyway: --confirm "${me.tenant.name}"`,
  );
}

const found = z.object({ events: z.object({ nodes: z.array(z.object({ id: z.string() })) }) });

async function findEvent(connection: ApiConnection, type: string, resourceId: string): Promise<string | undefined> {
  const query = `query ($type: String!, $resourceId: UUID!) {
    events(first: 1, type: $type, resourceId: $resourceId) { nodes { id } }
  }`;
  const { events } = await askGraphql(connection, found, query, { type, resourceId });
  return events.nodes[0]?.id;
}
