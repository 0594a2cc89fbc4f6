import type { Integrator } from '../harness.ts';

/** Starts a bulk operation over REST. @returns its id */
export async function startBulk(who: Integrator, resource: string, action: string, text: string): Promise<string> {
  const path = `/bulk-operations?resource=${resource}&action=${action}`;
  const { status, body } = await who.rest('POST', path, text, { 'content-type': 'application/jsonl' });
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.data.id;
}
