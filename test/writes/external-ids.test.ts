import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources, type Resource } from '../../schema/resource-list.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { samples } from '../resources.ts';
import { characters, refusal } from '../rest/samples.ts';
import { newRow, postNew } from './new-rows.ts';

// The promises of `external_id`, for each resource that clients write.

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService();
  [acme, globex] = await Promise.all([service.integrator(), service.integrator({ name: 'Globex' })]);
});
afterAll(() => service.close());

const written = resources.filter(({ model }) => model !== 'BankTransaction');
const updated = written.filter(({ model }) => model !== 'CreditNote');
const taken = 'Another one has this external id.';

const post = async (who: Integrator, resource: Resource, externalId: unknown): Promise<Answer> =>
  postNew(who, await newRow(who, resource, { external_id: externalId }));

const update = (who: Integrator, { model }: Resource, id: string, input: object, more = ''): Promise<Answer> =>
  who.graphqlAnswer(
    `mutation ($id: UUID!, $input: Update${model}Input!) { row: update${model}(id: $id, input: $input) { externalId ${more} } }`,
    { id, input },
  );

describe.each(written)('external_id of $path', (resource) => {
  it('is answered, found, and in the event', async () => {
    const made = await post(acme, resource, ` own ${resource.path} `);
    expect([made.status, made.body.data.external_id]).toEqual([201, `own ${resource.path}`]);
    const { id } = made.body.data;
    const list = await acme.rest('GET', `/${resource.path}?external_id=own%20${resource.path}`);
    expect(list.body.data).toEqual([made.body.data]);
    const events = await acme.rest(
      'GET',
      `/events?resource_id=${id}&type=${resource.name}.${resource.model === 'Payment' ? 'recorded' : 'created'}`,
    );
    expect(events.body.data[0].data[resource.name]).toMatchObject({ id, external_id: `own ${resource.path}` });
  });

  it('has 1 to 255 characters of text', async () => {
    const longest = characters(255);
    expect((await post(acme, resource, longest)).body.data.external_id).toBe(longest);
    for (const value of [characters(256), '', '  ', 'a\0b', '\ud800', 7, true, ['x'], { a: 'x' }]) {
      const { external_id: errors, ...others } = refusal(await post(acme, resource, value), 422);
      expect({ value, others, count: errors?.length }).toEqual({ value, others: {}, count: 1 });
    }
  });

  it('that another row of the resource has is refused, with all other errors; only within the tenant', async () => {
    const other = `other ${resource.path}`;
    expect((await post(globex, resource, other)).status).toBe(201);
    expect((await post(acme, resource, other)).status).toBe(201);
    const again = await post(acme, resource, other);
    expect(refusal(again, 422)).toEqual({ external_id: [taken] });
    expect(again.body.details).toEqual([{ field: 'external_id', code: 'taken', message: taken, params: {} }]);
    const [path] = await newRow(acme, resource, {});
    const wrong = await acme.rest('POST', path, { external_id: other, extra: 1 });
    expect(refusal(wrong, 422)).toMatchObject({ external_id: [taken], extra: ['This field is not known here.'] });
    expect((await post(acme, resource, null)).status).toBe(201);
    expect((await post(acme, resource, null)).status).toBe(201);
  });

  it('is given once, of several requests at the same time', async () => {
    const fields = { external_id: `race ${resource.path}` };
    const rows = await Promise.all(Array.from({ length: 4 }, () => newRow(acme, resource, fields)));
    const answers = await Promise.all(rows.map((row) => postNew(acme, row)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422]);
    for (const answer of answers)
      if (answer.status === 422) expect(refusal(answer, 422)).toEqual({ external_id: [taken] });
  });
});

describe.each(updated)('an update of external_id of $path', (resource) => {
  const make = (fields: object = {}) => samples[resource.model].make(acme, { ...fields });

  it('sets it, keeps it, clears it, and gives it to another', async () => {
    const externalId = `update ${resource.path}`;
    const [id, other] = [await make(), await make()];
    expect((await update(acme, resource, id, { externalId })).body.data.row).toEqual({ externalId });
    const again = await update(acme, resource, id, { externalId, ...samples[resource.model].change });
    expect(again.body.data.row).toEqual({ externalId });
    const refused = await update(acme, resource, other, { externalId });
    expect(refused.body.errors[0].extensions).toMatchObject({ errors: { 'input.externalId': [taken] } });
    expect((await update(acme, resource, id, { externalId: null })).body.data.row).toEqual({ externalId: null });
    expect((await update(acme, resource, other, { externalId })).body.data.row).toEqual({ externalId });
  });

  it('to the one that it has changes nothing', async () => {
    const id = await make({ externalId: `same ${resource.path}` });
    const same = await update(acme, resource, id, { externalId: `same ${resource.path}` }, 'version');
    expect(same.body.data.row).toMatchObject({ version: 1 });
  });

  it('gives it once, of several at the same time', async () => {
    const externalId = `race of updates ${resource.path}`;
    const ids = await Promise.all([make(), make(), make()]);
    const answers = await Promise.all(ids.map((id) => update(acme, resource, id, { externalId })));
    const outcomes = answers.map(({ body }) => body.errors?.[0].extensions.errors['input.externalId'][0] ?? 'set');
    expect(outcomes.toSorted()).toEqual([taken, taken, 'set']);
  });
});

it('is taken once within a batch, alone and atomic', async () => {
  const item = { type: 'customer', company_name: 'x', external_id: 'batch' };
  const alone = await acme.rest('POST', '/customers/batch', { items: [item, item] });
  expect(alone.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422]);
  expect(alone.body.results[1].errors).toEqual({ external_id: [taken] });
  const fresh = { ...item, external_id: 'atomic' };
  const atomic = await acme.rest('POST', '/customers/batch', { items: [fresh, fresh], atomic: true });
  expect([atomic.status, atomic.body.results[1].errors]).toEqual([422, { external_id: [taken] }]);
  expect((await acme.rest('GET', '/customers?external_id=atomic')).body.data).toEqual([]);
});

it('that the index refuses is refused, although no row is found that has it', async () => {
  // As if the row that had it were deleted in the moment between the write and the search for it.
  const { pool } = service;
  await pool.query(`create unique index odd_tenant_id_external_id_key on projects (tenant_id, lower(external_id))`);
  await samples.Project.make(acme, { externalId: 'gone' });
  const created = await acme.rest('POST', '/projects', { name: 'x', external_id: 'GONE' });
  expect(refusal(created, 422)).toEqual({ external_id: [taken] });
  const id = await samples.Project.make(acme);
  const changed = await acme.rest('PATCH', `/projects/${id}`, { external_id: 'Gone' });
  expect(refusal(changed, 422)).toEqual({ external_id: [taken] });
  await pool.query('drop index odd_tenant_id_external_id_key');
});
