import type { Resource } from '../../schema/resource-list.ts';
import type { Answer, Integrator } from '../harness.ts';
import { makeInvoice } from '../graphql/books.ts';
import { makeReferences, samples } from '../resources.ts';

// New rows of each resource that clients write, by REST. Credit notes need an invoice of which something is left; a payment is
// recorded by a request of its invoice, which answers the invoice.

/** A request that makes a row with these fields. */
export async function newRow(
  who: Integrator,
  { model, path }: Pick<Resource, 'model' | 'path'>,
  fields: object,
): Promise<[path: string, body: object]> {
  if (model === 'Payment') return [`/invoices/${await makeInvoice(who, { status: 'ISSUED' })}/payments`, fields];
  const body = samples[model].bodies!(await makeReferences(who)).POST as { invoice_id?: string };
  return [`/${path}`, model === 'CreditNote' ? { invoice_id: body.invoice_id, ...fields } : { ...body, ...fields }];
}

/** Makes a row. @returns its answer, of a payment that of its list */
export async function postNew(who: Integrator, [path, body]: [path: string, body: object]): Promise<Answer> {
  const answer = await who.rest('POST', path, body);
  const [, invoiceId] = /^\/invoices\/(.+)\/payments$/.exec(path) ?? [];
  if (invoiceId === undefined || answer.status !== 200) return answer;
  const list = await who.rest('GET', `/payments?invoice_id=${invoiceId}`);
  return { ...answer, status: 201, body: { data: list.body.data[0] } };
}
