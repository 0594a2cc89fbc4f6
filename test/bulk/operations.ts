import { expect } from 'vitest';
import type { Answer, Integrator } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';

type Json = Record<string, unknown>;

export const toLines = (bodies: readonly unknown[]): string =>
  bodies.map((body) => `${JSON.stringify(body)}\n`).join('');

/** Starts a bulk operation. A text is sent unchanged. */
export const upload = (
  who: Integrator,
  kind: { resource: string; action: string },
  lines: readonly unknown[] | string,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  who.rest(
    'POST',
    `/bulk-operations?${new URLSearchParams(kind).toString()}`,
    typeof lines === 'string' ? lines : toLines(lines),
    { 'content-type': 'application/jsonl', ...headers },
  );

/** Waits until an operation has ended. */
export async function untilEnded(who: Integrator, id: string): Promise<Json> {
  let operation: Json = {};
  await until(
    async () => {
      operation = (await who.rest('GET', `/bulk-operations/${id}`)).body.data as Json;
      return operation['finished_at'] !== null;
    },
    'the end of the bulk operation',
    60_000,
  );
  return operation;
}

export async function readResults(who: Integrator, id: string, query = ''): Promise<Json[]> {
  const { status, headers, text } = await who.rest('GET', `/bulk-operations/${id}/results${query}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/jsonl']);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Json);
}

/** Starts an operation, waits for its end, and reads its results. */
export async function doInBulk(
  who: Integrator,
  kind: { resource: string; action: string },
  lines: readonly unknown[] | string,
): Promise<{ operation: Json; results: Json[] }> {
  const { status, body } = await upload(who, kind, lines);
  expect([status, body]).toMatchObject([201, {}]);
  const operation = await untilEnded(who, body.data.id as string);
  return { operation, results: await readResults(who, body.data.id as string) };
}
