import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Copy } from '../../changes/copy.ts';
import { makePdf } from '../../attachments/files.ts';
import type { Answer as Response, Integrator } from '../../harness.ts';
import { receipt } from '../../rest/samples.ts';
import { isFault, isUnavailable, type Answer } from '../load.ts';

/** Longer than any response may take. */
const patienceMs = 40_000;
const pauseMs = 100;
const filesOfReceipt = 20;

/** A client that asks until it is told to stop. */
export interface Client {
  /** The outcomes of its requests. */
  answers: Answer[];
  /** Responses that differ from the documented ones. */
  wrong: string[];
  /** Ends it once its last request is answered. */
  stop(): Promise<void>;
}

/** Sends requests, and notes what became of each. */
export class Caller implements Pick<Integrator, 'rest'> {
  readonly answers: Answer[] = [];
  readonly wrong: string[] = [];
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** @throws Error unless it is answered that it is done */
  async send(
    method: string,
    path: string,
    body?: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const at = performance.now();
    let outcome: Answer['outcome'] = 'wrong';
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, ...headers },
        ...(body !== undefined && { body: body as BodyInit }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await response.text();
      const { status } = response;
      if (isUnavailable(response, text)) outcome = 'unavailable';
      else if (isFault(response, text)) outcome = 'internal';
      else if (response.ok) outcome = 'done';
      if (outcome !== 'done') throw new Error(`${status} ${text}`);
      return { status, headers: response.headers, body: JSON.parse(text), text };
    } catch (error) {
      if (error instanceof TypeError) outcome = 'none'; // of fetch()
      if (outcome === 'wrong') this.wrong.push(`${method} ${path}: ${String(error)}`);
      throw error;
    } finally {
      this.answers.push({ at, ms: performance.now() - at, outcome });
    }
  }

  rest: Integrator['rest'] = (method, path, body, headers) =>
    this.send(method, `/api/v1${path}`, body === undefined ? undefined : JSON.stringify(body), {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    });
}

/** Calls `act` again and again. What it throws is in the caller's notes. */
function repeat({ answers, wrong }: Caller, act: () => Promise<unknown>): Client {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await act().catch(() => {});
      await sleep(pauseMs);
    }
  })();
  return {
    answers,
    wrong,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

const query = JSON.stringify({ query: '{ customers(first: 3) { totalCount nodes { id companyName } } }' });

/** Reads over both APIs. */
export function startReader(url: string, token: string): Client {
  const caller = new Caller(url, token);
  const reads = [
    () => caller.rest('GET', '/customers?per_page=5'),
    () => caller.send('POST', '/graphql', query, { 'content-type': 'application/json' }),
    () => caller.rest('GET', '/me'),
    () => caller.rest('GET', '/invoices?status=issued&per_page=5'),
  ];
  let turn = 0;
  return repeat(caller, async () => reads[turn++ % reads.length]?.());
}

export interface Follower extends Client {
  /** Its copy of the books. Stop it before. */
  copy: Copy;
}

/** Keeps a copy of the books by the change feed. */
export function startFollower(url: string, token: string): Follower {
  const caller = new Caller(url, token);
  const copy = new Copy(caller);
  return { copy, ...repeat(caller, () => copy.follow()) };
}

export interface Upload {
  receipt: string;
  filename: string;
  begun: number;
  sha256: string;
}

export interface Uploader extends Client {
  /** Those that are acknowledged. */
  uploads: Upload[];
}

/** Attaches files to receipts, each under a key until it is answered. */
export function startUploader(url: string, token: string): Uploader {
  const caller = new Caller(url, token);
  const uploads: Upload[] = [];
  let current: { id: string; left: number } | undefined;

  /** Sends a request until it is answered. */
  const insist = async (send: (key: string) => Promise<Response>): Promise<Response> => {
    const key = randomUUID();
    for (;;) {
      try {
        return await send(key);
      } catch {
        if (caller.wrong.length > 0) throw new Error('no other response is to be expected');
        await sleep(pauseMs);
      }
    }
  };
  const client = repeat(caller, async () => {
    if (current === undefined || current.left === 0) {
      const made = await insist((key) => caller.rest('POST', '/receipts', receipt, { 'idempotency-key': key }));
      current = { id: made.body.data.id, left: filesOfReceipt };
    }
    const { id } = current;
    const [file, filename, begun] = [makePdf(30_000), `${randomUUID()}.pdf`, performance.now()];
    const path = `/api/v1/receipts/${id}/attachments?filename=${filename}`;
    await insist((key) => caller.send('POST', path, file, { 'idempotency-key': key }));
    current.left -= 1;
    uploads.push({ receipt: id, filename, begun, sha256: createHash('sha256').update(file).digest('hex') });
  });
  return { ...client, uploads };
}

/** The uploads that are not there once, byte for byte. */
export async function findLostUploads(url: string, token: string, uploads: readonly Upload[]): Promise<Upload[]> {
  const caller = new Caller(url, token);
  const lost: Upload[] = [];
  for (const [receiptId, those] of Map.groupBy(uploads, ({ receipt: id }) => id)) {
    const { body } = await caller.rest('GET', `/receipts/${receiptId}/attachments?per_page=100`);
    for (const upload of those) {
      const found = (body.data as { id: string; filename: string }[]).filter(
        ({ filename }) => filename === upload.filename,
      );
      const [{ id } = { id: '' }] = found;
      const hash =
        found.length === 1 ? await readHash(`${url}/api/v1/receipts/${receiptId}/attachments/${id}/file`, token) : '';
      if (hash !== upload.sha256) lost.push(upload);
    }
  }
  return lost;
}

async function readHash(url: string, token: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
}
