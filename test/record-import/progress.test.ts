import { expect, it } from 'vitest';
import {
  acme,
  globex,
  sendSubscription,
  service,
  serveSubscriptions,
  openStream,
  until,
  type Stream,
  type Visitor,
} from '../graphql/subscriptions/subscriptions.ts';
import { uploadRecords } from './records.ts';

serveSubscriptions();

const id = 'move-1';
const rows = 2000;
const csv = `id,name,type\n${Array.from({ length: rows }, (_, at) => `${at},Customer ${at},customer\n`).join('')}`;
const columns = { externalId: 'id', companyName: 'name', type: 'type' };

const follow = (who: Visitor): Promise<Stream> =>
  openStream(sendSubscription(`subscription { importProgress(id: "${id}") { done total } }`, who, service.url));
const announced = ({ text }: Stream): { done: number; total: number }[] =>
  [...text.matchAll(/^event: next\ndata: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data).data.importProgress);
const furthest = (stream: Stream): number => Math.max(0, ...announced(stream).map(({ done }) => done));

it("an import's progress is announced under its id: each row is read and written", async () => {
  const mine = await follow(acme);
  await uploadRecords(service, acme, 'Customer', csv, { columns, progressId: id });
  await until(() => furthest(mine) === 2 * rows);
  const steps = announced(mine);
  expect(new Set(steps.map(({ total }) => total))).toEqual(new Set([2 * rows]));
  // Announcements can overtake each other.
  expect(steps.map(({ done }) => done).toSorted((a, b) => a - b)).toEqual([
    0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000,
  ]);
});

it('a dry run has a progress too; records that were imported before count as written', async () => {
  await uploadRecords(service, acme, 'Customer', csv, { columns });
  const mine = await follow(acme);
  await uploadRecords(service, acme, 'Customer', csv, { columns, progressId: id, dryRun: true });
  await until(() => furthest(mine) === 2 * rows);
});

it("another tenant's import with the same id is not announced", async () => {
  const [mine, theirs] = [await follow(acme), await follow(globex)];
  await uploadRecords(service, globex, 'Customer', csv, { columns, progressId: id });
  await until(() => furthest(theirs) === 2 * rows);
  expect(announced(mine)).toEqual([]);
});
