import { zstdCompressSync } from 'node:zlib';
import { delegateName } from '../../prisma/client.ts';
import { resources } from '../../schema/resource-list.ts';
import type { Integrator } from '../harness.ts';
import {
  makeBankStatement,
  makeBankTransaction,
  makeCompany,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { makeAttachment } from '../attachments/files.ts';
import { makeSampleAnchor } from '../anchors/sample.ts';
import { samples } from '../resources.ts';

/** A bulk operation with the results of two lines. */
async function makeResults(who: Integrator, customer: string): Promise<void> {
  const details = [{ field: 'company_name', code: 'required', message: 'Required.', params: {} }];
  const results = [
    { line: 1, status: 201, id: customer },
    { line: 2, status: 422, message: 'company_name: Required.', details },
  ];
  const content = new Uint8Array(zstdCompressSync(results.map((result) => `${JSON.stringify(result)}\n`).join('')));
  const operationId = await samples.BulkOperation.make(who);
  const chunk = { operationId, number: 1, firstLine: 1, content, done: true, failedLines: 1 };
  await who.db.insert({ BulkChunk: [who.db.row('BulkChunk', chunk)] });
}

/** A period lock before all that the books hold. */
async function makePeriodLock({ db, userId }: Integrator): Promise<void> {
  const lockedUntil = new Date('1999-12-31');
  await db.periodLock.create({ data: { series: 'ALL', kind: 'SOFT', lockedUntil, userId } });
}

/** At least one row in every table of a tenant's books; the ids of what has one of its own in the API. */
export async function fill(who: Integrator) {
  const company = await makeCompany(who);
  const customer = await makeCustomer(who);
  const supplier = await makeCustomer(who, { type: 'SUPPLIER' });
  const project = await makeProject(who, { customerId: customer });
  const invoice = await makeInvoice(who, { customerId: customer, status: 'ISSUED' });
  const draft = await makeInvoice(who, { customerId: customer });
  const lines = [{ amountGross: '119', vatRate: '19', account: '4930' }];
  const receipt = await makeReceipt(who, { supplierId: supplier, projectId: project, lines });
  await makeAttachment(who, receipt);
  await who.db.insert({
    UnusedFile: [who.db.row('UnusedFile', { key: `${who.tenantId}/attachments/unused` })],
    UnprovenReceipt: [who.db.row('UnprovenReceipt', { id: receipt })],
  });
  const timeEntry = await makeTimeEntry(who, { projectId: project });
  const bankTransaction = await makeBankTransaction(who);
  const payment = await makePayment(who, invoice, '1');
  const { id: delivery, webhookId: webhook, eventId: event } = await makeDelivery(who);
  await who.db.deliveryAttempt.create({
    data: { deliveryId: delivery, number: 1, startedAt: new Date(), requestHeaders: {} },
  });
  const bytes = new Uint8Array(1);
  const logo = await who.db.companyLogo.create({ data: { bytes, sha256: bytes } });
  await who.db.company.updateMany({ data: { logoId: logo.id } });
  await who.db.invoiceFile.create({ data: { invoiceId: invoice, format: 'pdf', bytes, sha256: bytes } });
  await who.db.documentProof.create({ data: { position: 1, invoiceId: invoice, content: '{}', hash: bytes } });
  await who.db.storedResponse.create({ data: { request: bytes, body: bytes, response: bytes, createdAt: new Date() } });
  await makeResults(who, customer);
  await samples.Export.make(who);
  await who.db.partnerAccount.create({ data: { customerId: customer, kind: 'debtor', number: 10_000 } });
  await makePeriodLock(who);
  const entry = await who.db.auditEntry.findFirstOrThrow();
  await who.db.auditSeal.create({
    data: { id: entry.id, number: 1, position: entry.position, previousHash: bytes, hash: bytes },
  });
  await makeSampleAnchor(who);
  await makeBankStatement(who);
  const named = {
    company,
    customer,
    supplier,
    project,
    invoice,
    draft,
    receipt,
    timeEntry,
    bankTransaction,
    payment,
    delivery,
    webhook,
    event,
  };
  const ids: typeof named & Record<string, string> = named;
  for (const { model } of resources) ids[delegateName(model)] ??= await samples[model].make(who);
  return ids;
}
