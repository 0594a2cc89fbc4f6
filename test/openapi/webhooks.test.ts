import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { resources } from '../../schema/resource-list.ts';
import { toSchema } from '../../schema/index.ts';
import { makeAnchors } from '../../src/jobs/make-anchors.ts';
import { overdue } from '../../src/jobs/overdue.ts';
import { camt, imported } from '../bank/statement.ts';
import {
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { sampleKey } from '../anchors/sample.ts';
import { samples } from '../resources.ts';
import { createWebhook, startReceiver, until, work, type Receiver } from '../webhooks/receiver.ts';
import { createApiValidator, description, type Parameter } from './description.ts';

const api = description();
const validator = createApiValidator(api);

let service: Service;
let receiver: Receiver;
let acme: Integrator;
let stop: () => Promise<void>;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  receiver = await startReceiver();
  ({ stop } = await work(service));
});
afterAll(async () => {
  await stop();
  await receiver.close();
  await service.close();
});

const mutate = (mutation: string, variables: object) =>
  acme.graphql(`mutation ($id: UUID!) { ${mutation} { id } }`, variables);

/** Causes an event of every type. */
async function everything(webhookId: string): Promise<void> {
  const mutations = toSchema().getMutationType()?.getFields() ?? {};
  for (const { model } of resources) {
    const { make, change } = samples[model];
    const id = await make(acme);
    if (change && `update${model}` in mutations) {
      const update = `mutation ($id: UUID!, $input: Update${model}Input!) { update${model}(id: $id, input: $input) { id } }`;
      await acme.graphql(update, { id, input: change });
    }
    if (`delete${model}` in mutations) await mutate(`delete${model}(id: $id)`, { id });
  }

  await samples.BulkOperation.make(acme); // the worker ends it
  await samples.Export.make(acme);
  const customerId = await makeCustomer(acme);
  await mutate('cancelInvoice(id: $id)', { id: await makeInvoice(acme, { customerId, status: 'ISSUED' }) });
  const paid = await makeInvoice(acme, { customerId, status: 'ISSUED' });
  await mutate('reversePayment(id: $id, reason: "Wrong")', { id: await makePayment(acme, paid) });
  await runJob(overdue(service.client, service.domain));
  while (await sealNext(await service.contextOf(acme)));
  await runJob(makeAnchors(service.client, service.domain, () => sampleKey));

  const refund = 'mutation ($id: UUID!) { refundCreditNote(id: $id) { refunds { nodes { id } } } }';
  const { refundCreditNote } = await acme.graphql(refund, { id: await makeCreditNote(acme) });
  await mutate('reversePayment(id: $id, reason: "Wrong")', refundCreditNote.refunds.nodes[0]);

  const { payReceipt } = await acme.graphql(
    'mutation ($id: UUID!) { payReceipt(id: $id) { payments { nodes { id } } } }',
    {
      id: await makeReceipt(acme, { status: 'BOOKED' }),
    },
  );
  await mutate('reversePayment(id: $id, reason: "Wrong")', payReceipt.payments.nodes[0]);

  await mutate('reverseReceipt(id: $id, reason: "Wrong")', { id: await makeReceipt(acme, { status: 'BOOKED' }) });

  const projectId = await makeProject(acme, { customerId, hourlyRateNet: '60' });
  await makeTimeEntry(acme, { projectId });
  const billed = await acme.graphql(`mutation { billProject(projectId: "${projectId}", vatRate: "19") { id } }`);
  await mutate('deleteInvoice(id: $id)', billed.billProject);

  const number = (await acme.rest('GET', `/invoices/${paid}`)).body.data.number as string;
  await imported(service, acme, camt([{ amount: '119.00', reference: number }]));
  const { id } = (await acme.rest('GET', '/bank-transactions')).body.data[0];
  for (const step of ['unmatch', 'ignore', 'unignore']) await mutate(`${step}BankTransaction(id: $id)`, { id });
  await mutate('pingWebhook(id: $id)', { id: webhookId });
}

describe('the webhooks section', () => {
  it('describes the headers and the body of every delivery', async () => {
    const { id } = await createWebhook(acme, { url: `${receiver.url}/hook` });
    await everything(id);
    const described = Object.keys(api.webhooks).toSorted();
    const sent = () =>
      [...new Set(receiver.requests.map(({ headers }) => String(headers['x-service-event'])))].toSorted();
    await until(() => sent().length >= described.length, 'every event');
    expect(sent()).toEqual(described);

    for (const { headers, body } of receiver.requests) {
      const { post } = api.webhooks[String(headers['x-service-event'])]!;
      const { schema } = post.requestBody!.content['application/json'];
      expect({ body, violations: validator.violations(schema, JSON.parse(body)) }).toEqual({ body, violations: [] });

      const parameters = (post.parameters ?? []).map((each) => validator.resolve<Parameter>(each));
      const wrong = parameters.flatMap(({ name, schema: of, required }) => {
        const value = headers[name.toLowerCase()];
        const read = of.type === 'integer' ? Number(value) : value;
        return required && value !== undefined ? validator.violations(of, read) : [`${name} is missing`];
      });
      expect(wrong).toEqual([]);
      const names = new Set(parameters.map(({ name }) => name.toLowerCase()));
      const undescribed = Object.keys(headers).filter((name) => /^(x-|webhook-)/.test(name) && !names.has(name));
      expect(undescribed).toEqual([]);
    }
  });
});
