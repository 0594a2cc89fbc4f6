import { parse } from 'csv-parse/sync';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { expect } from 'vitest';
import { withoutTriggers, type Integrator, type Service } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';

type Json = Record<string, unknown>;

/** Starts an export over REST. @returns its id */
export async function startExport(who: Integrator, body: object): Promise<string> {
  const answer = await who.rest('POST', '/exports', body);
  expect([answer.status, answer.body]).toMatchObject([201, {}]);
  return answer.body.data.id as string;
}

/** Booked receipts with long texts, past the domain: very many would take it long. */
export const addReceipts = (service: Service, who: Integrator, count: number, textLength: number) =>
  withoutTriggers(service, (client) =>
    client.query(
      `insert into receipts (tenant_id, id, status, receipt_date, description, currency, amount_gross, vat_amount, amount_net, updated_at)
       select $1, gen_random_uuid(), 'booked', date '2026-01-01' + (n % 300), repeat('x', $3::int), 'EUR', n, 0, n, now()
       from generate_series(1, $2::int) as n`,
      [who.tenantId, count, textLength],
    ),
  );

/** Waits until an export has ended. */
export async function untilEnded(who: Integrator, id: string): Promise<Json> {
  let found: Json = {};
  await until(
    async () => {
      found = (await who.rest('GET', `/exports/${id}`)).body.data as Json;
      return found['finished_at'] !== null;
    },
    'the end of the export',
    60_000,
  );
  return found;
}

export const download = (service: Service, who: Pick<Integrator, 'token'>, id: string): Promise<Response> =>
  fetch(`${service.url}/api/v1/exports/${id}/file`, { headers: { authorization: `Bearer ${who.token}` } });

/** Starts an export, waits for its end, and reads its file. */
export async function exported(service: Service, who: Integrator, body: object): Promise<{ row: Json; file: Buffer }> {
  const row = await untilEnded(who, await startExport(who, body));
  expect(row).toMatchObject({ status: 'completed', error: null });
  const response = await download(service, who, String(row['id']));
  expect(response.status).toBe(200);
  return { row, file: Buffer.from(await response.arrayBuffer()) };
}

/** The rows of a CSV file as REST's names have them. */
export const readCsv = (file: Buffer): Record<string, string>[] => parse(file, { bom: true, columns: true });

/** The files of a zip, by name. */
export async function unzip(file: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const archive = await fromBufferPromise(file);
  for await (const entry of archive.eachEntry())
    files.set(entry.fileName, await buffer(await archive.openReadStreamPromise(entry)));
  return files;
}
