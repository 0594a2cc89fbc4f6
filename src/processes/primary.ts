import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { roleVariable, type Counts, type PrimaryMessage, type Role, type WorkerMessage } from './ipc.ts';

// Workers accept connections themselves. If the primary handed them over instead, as is Node's default, a worker that dies
// would take along those that it hasn't confirmed yet.
cluster.schedulingPolicy = cluster.SCHED_NONE;

/** A process that has lived so long counts as stable: its next restart has the shortest pause. */
const stableAfterMs = 30_000;
const shortestPauseMs = 100;
const longestPauseMs = 10_000;
/** How long a worker may take to report its metrics. */
const countMs = 5000;

export interface Cluster {
  /** The service's address, once all processes are up. Rejects if one of them can't start. */
  address: Promise<string>;
  metrics(): Promise<string>;
  /** Stops the HTTP processes, then the one that works on the queue; each finishes its work. */
  stop(): Promise<void>;
}

interface Child {
  role: Role;
  isUp: boolean;
}

/** The metric that only the primary has. */
export const restartCounter = {
  name: 'kontor_process_restarts_total',
  help: 'Processes started in place of one that ended',
};

/**
 * Starts worker processes: a number of HTTP servers on one port, and optionally one that works on the queue. The primary does
 * neither, so that it survives their failures. It restarts a process that ends, after a pause that grows while processes keep
 * dying. A process that gets SIGTERM finishes its requests, and is replaced too.
 * @param stopRequested from then on, no process is replaced: a signal to all of them reaches the children too
 */
export function startCluster(
  { gateways, works }: { gateways: number; works: boolean },
  log: Logger,
  stopRequested: Promise<unknown>,
): Cluster {
  const alive = new Map<Worker, Child>();
  const pauses = new Set<NodeJS.Timeout>();
  const { promise: address, resolve, reject } = Promise.withResolvers<string>();
  const roles: Role[] = [...Array.from({ length: gateways }, (): Role => 'serve'), ...(works ? ['work' as const] : [])];
  const own = new Registry();
  const restarts = new Counter({ ...restartCounter, registers: [own] });
  const metrics = async (): Promise<string> => {
    const up = [...alive].filter(([, { isUp }]) => isUp).map(([child]) => child);
    const counts = await Promise.all(up.map(readMetrics));
    return AggregatorRegistry.aggregate([...counts, await own.getMetricsAsJSON()]).metrics();
  };
  let where = '';
  let began = false;
  let stopping = false;

  function begin(role: Role, deaths: number): void {
    const child = cluster.fork({ [roleVariable]: role });
    const startedAt = performance.now();
    let why: string | undefined;
    alive.set(child, { role, isUp: false });
    child.on('message', (message: WorkerMessage) => {
      if ('up' in message) {
        alive.set(child, { role, isUp: true });
        if (role === 'serve') where = message.up;
        began ||= alive.size === roles.length && [...alive.values()].every(({ isUp }) => isUp);
        if (began) resolve(where);
      } else if ('failed' in message) why = message.failed;
      else if ('ask' in message) {
        const respond = (text: string | null): void => send(child, { metrics: text, number: message.ask });
        metrics().then(respond, () => respond(null));
      }
    });
    child.once('exit', (code: number | null, signal: string | null) => {
      alive.delete(child);
      if (stopping) return;
      if (!began) return reject(new Error(why ?? `A process ended by ${signal ?? `code ${code}`}`));
      const inARow = performance.now() - startedAt > stableAfterMs ? 0 : deaths + 1;
      const pauseMs = Math.min(shortestPauseMs * 2 ** inARow, longestPauseMs);
      const facts = { role, pid: child.process.pid, code, signal, why, pauseMs };
      // A child may react to a signal to all processes before this one does.
      if (code === 0) log.info(facts, 'a process was stopped: another is started');
      else log.error(facts, 'a process ended: another is started');
      restarts.inc();
      const pause = setTimeout(() => {
        pauses.delete(pause);
        begin(role, inARow);
      }, pauseMs);
      pauses.add(pause);
    });
  }

  for (const role of roles) begin(role, 0);
  void stopRequested.then(() => (stopping = true));

  const end = async (ending: Role): Promise<void> => {
    const children = [...alive].filter(([, { role }]) => role === ending).map(([child]) => child);
    await Promise.all(
      children.map(async (child) => {
        const ended = new Promise((done) => child.once('exit', done));
        send(child, { stop: true });
        await ended;
      }),
    );
  };
  return {
    address,
    metrics,
    stop: async () => {
      stopping = true;
      for (const pause of pauses) clearTimeout(pause);
      await end('serve');
      await end('work');
    },
  };
}

let requests = 0;

/** A worker's metrics; none if it doesn't respond in time, or has ended. */
function readMetrics(child: Worker): Promise<Counts> {
  requests += 1;
  const number = requests;
  return new Promise((resolve) => {
    const done = (counts: Counts): void => {
      child.off('message', onMessage).off('exit', onExit);
      clearTimeout(timer);
      resolve(counts);
    };
    const onMessage = (message: WorkerMessage): void =>
      void ('counts' in message && message.number === number && done(message.counts));
    const onExit = (): void => done([]);
    const timer = setTimeout(onExit, countMs);
    child.on('message', onMessage).once('exit', onExit);
    send(child, { count: number });
  });
}

/** Sends a message, unless the worker has ended. */
function send(child: Worker, message: PrimaryMessage): void {
  if (child.isConnected()) child.send(message, undefined, undefined, () => {});
}
