import type { Command } from 'commander';
import { isInputObjectType } from 'graphql';
import { isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import type { Database } from '../../database/database.ts';
import { RefusedError } from '../../identity/index.ts';
import { bulkDays } from '../../jobs/clean-up.ts';
import { confirm } from '../confirm.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { ask, operatorDomain } from '../operator.ts';
import { print, printJson, toJson, write } from '../output.ts';

// The contacts of a tenant's customers and suppliers. Issued documents have the buyer as it was, and the audit log has each change:
// the law has both kept, and neither can change.

interface Options extends Json {
  tenant: string;
  customer: string;
}

export function addPersonCommands(program: Command): void {
  const person = program.command('person').description('people among the customers and suppliers of a tenant');
  const withCustomer = (command: Command): Command =>
    asJson(command).requiredOption('--tenant <id>').requiredOption('--customer <id>', 'the customer or supplier');
  withCustomer(person.command('export').description('print as JSON all that is stored about a customer')).action(
    async ({ tenant, customer, json }: Options) => {
      const data = await withDatabase((database) => readPerson(database, tenant, customer));
      write(`${JSON.stringify(JSON.parse(toJson(data)), null, json ? 0 : 2)}\n`);
    },
  );
  withCustomer(person.command('erase').description("erase a customer's name and contacts; issued documents keep them"))
    .option('--yes', "don't ask")
    .action(async ({ tenant, customer, yes, json }: Options & { yes?: boolean }) => {
      const erased = await withDatabase(async (database) => {
        const { companyName } = (await readPerson(database, tenant, customer)).customer;
        await confirm(`Name and contacts of "${companyName}" will be erased for good.`, companyName, yes === true);
        return erasePerson(database, tenant, customer);
      });
      if (json) return printJson(erased);
      print(`Customer ${erased.id} is called "${erased.companyName}" now, and has no contacts.`);
      print(
        `${erased.documents} issued documents keep the name and address. So does the audit log, until AUDIT_LOG_YEARS are over,`,
      );
      print('and what there is of events, until EVENT_DAYS are over.');
      print(
        `Also lines and results of bulk operations, until ${bulkDays} days after their end; files of exports, until EXPORT_DAYS are`,
      );
      print('over; and responses that are stored for idempotency keys, for a day.');
    });
}

const drafts = `
  select id, invoice_date::text as date, subject from invoices where tenant_id = $1 and customer_id = $2 and status = 'draft'
  order by id`;

const documents = `
  select number, invoice_date::text as date, parties.buyer from invoices
    join invoice_parties as parties on parties.tenant_id = invoices.tenant_id and parties.id = invoices.id
  where invoices.tenant_id = $1 and customer_id = $2 order by number`;

async function readPerson(database: Database, tenantId: string, id: string) {
  const { context } = await operatorDomain(database, tenantId);
  const { db } = context;
  const customer = isUuid(id) ? await db.customer.findFirst({ where: { id } }) : null;
  if (!customer) throw new RefusedError(`Unknown customer "${id}"`);
  const { tenantId: _tenant, searchText: _search, ...fields } = customer;
  const entries = { where: { resource: 'customer', resourceId: id }, orderBy: { id: 'asc' } } as const;
  return {
    customer: fields,
    documents: await db.$rows<{ number: string; date: string; buyer: unknown }>(documents, [id]),
    drafts: await db.$rows<{ id: string; date: string; subject: string | null }>(drafts, [id]),
    creditNotes: await db.creditNote.findMany({
      where: { customerId: id },
      select: { number: true, reason: true },
      orderBy: { id: 'asc' },
    }),
    // Overpayments, and what became of them. Those of an invoice belong to it.
    payments: await db.payment.findMany({
      where: { customerId: id },
      select: { id: true, kind: true, amount: true, currency: true, paidOn: true },
      orderBy: { id: 'asc' },
    }),
    accounts: await db.partnerAccount.findMany({
      where: { customerId: id },
      select: { kind: true, number: true },
      orderBy: { id: 'asc' },
    }),
    receipts: await db.receipt.findMany({ where: { supplierId: id }, select: { id: true, receiptNumber: true } }),
    projects: await db.project.findMany({ where: { customerId: id }, select: { id: true, name: true } }),
    auditLog: await db.auditEntry.findMany({
      ...entries,
      select: { at: true, action: true, before: true, after: true },
    }),
    events: (await db.event.findMany({ where: { resourceId: id }, orderBy: { id: 'asc' } })).map(
      ({ body }) => JSON.parse(body) as unknown,
    ),
  };
}

/**
 * Fields that are not set to null. `companyName` gets another value instead. The others say nothing about a person.
 * Fields that will be added later are erased.
 */
const keptFields = new Set(['type', 'companyName', 'country', 'language', 'paymentTermsDays']);

async function erasePerson(
  database: Database,
  tenantId: string,
  id: string,
): Promise<{ id: string; companyName: string; documents: number }> {
  const { domain, context } = await operatorDomain(database, tenantId);
  const type = domain.schema.getType('UpdateCustomerInput');
  if (!isInputObjectType(type)) throw new Error('There is no UpdateCustomerInput');
  const contacts = Object.keys(type.getFields()).filter((name) => !keptFields.has(name));
  const companyName = `Erased ${id.slice(-12)}`;
  await ask<unknown>(
    database,
    tenantId,
    'mutation ($id: UUID!, $input: UpdateCustomerInput!) { result: updateCustomer(id: $id, input: $input) { id } }',
    { id, input: { companyName, ...Object.fromEntries(contacts.map((name) => [name, null])) } },
  );
  return { id, companyName, documents: (await context.db.$rows(documents, [id])).length };
}
