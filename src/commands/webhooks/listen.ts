import { createHmac, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { z } from 'zod';
import { print, printError, whenOutputCloses } from '../output.ts';
import { findFormProblem } from '../../webhooks/address-guard.ts';
import { createPoster, success, type Outcome, type Poster } from '../../webhooks/post.ts';
import { deliveryHeaders } from '../../webhooks/signature.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { onCommandKeys } from './keys.ts';
import { buildConnection, send, withConnection, type ApiConnection } from '../remote/connection.ts';
import { readData, subscribe } from '../remote/graphql.ts';
import { untilStopped } from '../until-stopped.ts';

// `listen` forwards a tenant's events to a developer's machine, as webhooks would deliver them. Requests to that machine are
// sent from here, never from the service.

const query = `subscription ($since: DateTime, $types: [String!]) {
  event: eventEmitted(since: $since, types: $types) { id type body fannedOutAt }
}`;
const eventShape = z.object({ id: z.string(), type: z.string(), body: z.string(), fannedOutAt: z.string() });
const item = z.object({ event: eventShape });
type Event = z.infer<typeof eventShape>;

/** How long an event may take from `fannedOutAt` until it can be read, with the difference between the servers' clocks. */
const overlapMs = 120_000;
/** The timeout of a delivery, as of real ones. */
const timeoutMs = 10_000;
/** Deliveries that are sent at the same time. */
const concurrency = 10;
/** Deliveries that can be sent again. */
const remembered = 1000;

interface Options {
  forwardTo?: string;
  events?: string[];
  printSecret?: true;
  json?: true;
}

export function addListenCommand(program: Command): void {
  const command = withConnection(
    program
      .command('listen')
      .description("forward a tenant's events to your machine, signed as webhooks are")
      .option('--forward-to <url>', 'address to send events to, such as http://localhost:3000/hook')
      .option('--events <list>', 'names of events, comma-separated; default: all', (text) =>
        text.split(',').map((name) => name.trim()),
      )
      .option('--print-secret', 'print the signing secret, and end')
      .option('--json', 'print one JSON object for each delivery'),
  );
  command.action(async () => {
    const options: Options = command.opts();
    const connection = buildConnection(command);
    if (options.printSecret) return print(getSecret(connection));
    const { forwardTo } = options;
    if (forwardTo === undefined) throw new CommandFailure(exitCodes.usage, 'Specify an address with --forward-to URL.');
    const problem = findFormProblem(forwardTo, { allowInsecure: true });
    if (problem !== undefined) throw new CommandFailure(exitCodes.usage, `--forward-to: ${problem}`);
    await listen(connection, { ...options, forwardTo });
  });
}

/** The secret that signs forwarded events: the same for each run with this token, and never one of a webhook. */
export const getSecret = ({ token }: ApiConnection): string =>
  `whsec_${createHmac('sha256', token).update('kontor listen').digest('base64')}`;

async function listen(connection: ApiConnection, options: Options & { forwardTo: string }): Promise<void> {
  const { tenant, startedAt } = await enter(connection);
  const poster = createPoster({ allowInsecure: true, timeoutMs, connectionsPerOrigin: concurrency });
  const forwarder = new Forwarder(poster, getSecret(connection), options);
  const seen = new SeenEvents(startedAt);
  const { signal, stop } = untilStopped();
  whenOutputCloses(stop);
  const stopKeys = onCommandKeys({
    replayLast: () => forwarder.replay(),
    replay: (number) => forwarder.replay(number),
    stop,
  });
  const ready = (): void => {
    printError(`Events of ${tenant} are forwarded to ${options.forwardTo}`);
    printError(`Signing secret: ${getSecret(connection)}`);
    printError('r sends the last one again, a number and Enter that one, Ctrl-C ends.');
  };
  let isFirst = true;
  try {
    const variables = () => ({ since: isFirst ? null : seen.since(), types: options.events ?? null });
    const onConnected = (): void => {
      if (isFirst) ready();
      else printError('Connected again.');
      isFirst = false;
    };
    for await (const { event } of subscribe(connection, { query, variables, item, signal, onConnected }))
      if (seen.add(event)) await forwarder.forward(event);
  } finally {
    stopKeys();
    await forwarder.settled();
    await poster.close();
  }
  printError(`${forwarder.count} deliveries were sent.`);
}

const entry = z.object({ me: z.object({ tenant: z.object({ name: z.string() }) }) });

/** The tenant's name, and the service's time. @throws CommandFailure if the token may not read events */
async function enter(connection: ApiConnection): Promise<{ tenant: string; startedAt: Date }> {
  const body = JSON.stringify({ query: '{ me { tenant { name } } events(first: 1) { nodes { id } } }' });
  const response = await send(connection, { method: 'POST', path: '/graphql', body });
  const { me } = readData(connection, response, entry);
  return { tenant: me.tenant.name, startedAt: new Date(response.headers.get('date') ?? Date.now()) };
}

/** The events that came already. Some come twice when the connection is made again. */
export class SeenEvents {
  readonly #startedAt: Date;
  readonly #times = new Map<string, number>();
  #latest: number;

  /** @param startedAt the service's time: earlier events are not wanted */
  constructor(startedAt: Date) {
    this.#startedAt = startedAt;
    this.#latest = startedAt.getTime();
  }

  /** @returns whether the event is new */
  add({ id, fannedOutAt }: Pick<Event, 'id' | 'fannedOutAt'>): boolean {
    if (this.#times.has(id)) return false;
    const time = Date.parse(fannedOutAt);
    this.#latest = Math.max(this.#latest, time);
    this.#times.set(id, time);
    for (const [each, at] of this.#times) {
      if (at >= this.#latest - 2 * overlapMs) break;
      this.#times.delete(each);
    }
    return true;
  }

  /** From when on events may be missing. */
  since(): string {
    return new Date(Math.max(this.#latest - overlapMs, this.#startedAt.getTime())).toISOString();
  }
}

/** Sends events to the developer's machine, and prints a line for each. */
class Forwarder {
  readonly #poster: Poster;
  readonly #secret: string;
  readonly #options: Options & { forwardTo: string };
  readonly #inProgress = new Set<Promise<void>>();
  readonly #events = new Map<number, Event>();
  /** The number of the last delivery, from 1. */
  count = 0;

  constructor(poster: Poster, secret: string, options: Options & { forwardTo: string }) {
    this.#poster = poster;
    this.#secret = secret;
    this.#options = options;
  }

  /** Sends an event. Waits while too many are in progress. */
  async forward(event: Event): Promise<void> {
    while (this.#inProgress.size >= concurrency) await Promise.race(this.#inProgress);
    const number = (this.count += 1);
    this.#events.set(number, event);
    this.#events.delete(number - remembered);
    const sending = this.#send(number, event).finally(() => this.#inProgress.delete(sending));
    this.#inProgress.add(sending);
  }

  /** Sends the event of a delivery again, as a new delivery. @param number by default the last one */
  replay(number = this.count): void {
    const event = this.#events.get(number);
    if (event) void this.forward(event);
    else printError(this.count === 0 ? 'Nothing was sent so far.' : `There is no delivery ${number}.`);
  }

  settled = (): Promise<unknown> => Promise.all(this.#inProgress);

  async #send(number: number, { id: eventId, type, body }: Event): Promise<void> {
    const deliveryId = randomUUID();
    const secret = this.#secret;
    const headers = deliveryHeaders({
      body,
      event: type,
      eventId,
      deliveryId,
      attempt: 1,
      timestamp: Math.floor(Date.now() / 1000),
      secrets: { document: secret, standard: [secret] },
    });
    const outcome = await this.#poster.post({ url: this.#options.forwardTo, headers, body });
    this.#report(number, { type, eventId, deliveryId }, outcome);
  }

  #report(number: number, sent: { type: string; eventId: string; deliveryId: string }, outcome: Outcome): void {
    const { status, error, durationMs } = outcome;
    const { type: event, eventId, deliveryId } = sent;
    if (this.#options.json)
      return print(
        JSON.stringify({
          number,
          event,
          event_id: eventId,
          delivery: deliveryId,
          delivered: success(outcome),
          status,
          error,
          duration_ms: durationMs,
        }),
      );
    const time = outcome.startedAt.toLocaleTimeString('en-GB');
    print(`${String(number).padStart(4)}  ${time}  ${event.padEnd(27)} ${error ?? status}  ${durationMs} ms`);
  }
}
