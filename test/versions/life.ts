import { expect } from 'vitest';
import { resources } from '../../schema/resource-list.ts';
import { camt, upload } from '../bank/statement.ts';
import type { Service } from '../harness.ts';
import { signedIn } from '../identity/browser.ts';
import * as sample from '../rest/samples.ts';
import { makeEach } from '../resources.ts';
import { byHand, createWebhook, startReceiver } from '../webhooks/receiver.ts';

/** A little of everything that a version does with the database, in words that any version understands. */
export async function live(service: Service): Promise<void> {
  const acme = await service.integrator();
  const receiver = await startReceiver((response) => response.writeHead(200).end());
  const worker = byHand(service, acme);
  try {
    await createWebhook(acme, { url: receiver.url, events: ['invoice.paid'] });
    await acme.graphql('mutation { updateCompany(input: { legalName: "Acme GmbH" }) { id } }');
    // So early that it closes nothing.
    await acme.rest('PUT', '/period-locks', { series: 'all', locked_until: '1990-12-31', kind: 'soft' });
    const customer = await sample.create(acme, '/customers', { ...sample.customer, country: 'DE', city: 'Köln' });
    const supplier = await sample.create(acme, '/customers', sample.supplier);
    const project = await sample.create(acme, '/projects', { ...sample.project, customer_id: customer.id });
    const spare = await sample.create(acme, '/projects', sample.project);
    await sample.create(acme, '/time-entries', { ...sample.timeEntry(project.id), hourly_rate_net: 80 });
    const unbilled = await sample.create(acme, '/time-entries', { ...sample.timeEntry(spare.id), billable: false });
    const draft = await sample.create(acme, '/invoices', sample.invoice(customer.id));
    const issued = await sample.create(acme, '/invoices', { ...sample.invoice(customer.id), status: 'issued' });
    await sample.create(acme, '/invoices', { ...sample.invoice(customer.id), status: 'paid' });
    const lines = [{ amount_gross: 100, account: '4930' }, { amount_gross: 19 }];
    const receipt = await sample.create(acme, '/receipts', { ...sample.receipt, supplier_id: supplier.id, lines });
    const keyed = { 'idempotency-key': 'once' };
    for (let time = 0; time < 2; time += 1) await acme.rest('POST', '/customers', sample.customer, keyed);
    await acme.rest('PATCH', `/customers/${customer.id}`, { city: 'Bonn' });
    await acme.rest('PATCH', `/projects/${project.id}`, { status: 'completed' });

    const rent = { amount: '-119.00', name: 'Lieferant', reference: 'Miete' };
    await upload(service, acme, camt([{ amount: '119.00', name: 'Kundin', reference: issued.number }, rent]));
    const bank = await acme.rest('GET', '/bank-transactions?match_status=unmatched');
    const row = bank.body.data[0].id as string;
    await acme.graphql(`mutation {
      bookReceipt(id: "${receipt.id}") { id }
      matchBankTransaction(id: "${row}", matches: [{ type: RECEIPT, id: "${receipt.id}", amount: "100" }]) { id }
      unmatchBankTransaction(id: "${row}") { id }
      ignoreBankTransaction(id: "${row}") { id }
      billProject(projectId: "${project.id}", vatRate: "19") { id }
    }`);
    await acme.graphql(`{
      overview { unbilledMinutes outstanding { amount } months { month } }
      invoices(filter: { q: "kund" }, orderBy: { field: DUE_DATE, direction: ASC }) { totalCount nodes { id isOverdue } }
      bankTransactions { nodes { id suggestions { amount } matches { id } } }
    }`);
    await worker.run();
    await acme.graphql('{ deliveries { nodes { id state attempts { number } event { type } } } }');

    const { browser } = await signedIn(service);
    await browser.graphql('{ me { user { id } tenants { id } } }');
    await browser.request('POST', '/api/auth/sign-out');

    await makeEach(acme);
    const filters = ['?page=2&per_page=1', '?q=kund&type=customer&status=draft&match_status=matched'];
    for (const { path } of resources) {
      for (const filter of filters) await acme.rest('GET', `/${path}${filter}`);
    }
    for (const path of [`/invoices/${issued.id}`, `/customers/${customer.id}`, '/me']) await acme.rest('GET', path);
    for (const path of [`/invoices/${draft.id}`, `/time-entries/${unbilled.id}`, `/projects/${spare.id}`]) {
      expect((await acme.rest('DELETE', path)).status).toBe(204);
    }
    await worker.run();
  } finally {
    await worker.close();
    await receiver.close();
  }
}
