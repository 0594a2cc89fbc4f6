import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { logFailure } from '../database/log-failure.ts';

/** A task that runs until it is stopped, or ends by itself. */
export interface RunningTask {
  stop(): Promise<void>;
  /** Settles, either way, once it has ended. */
  ended: Promise<void>;
}

/** A task that is begun again whenever it ends. */
export interface KeptTask {
  stop(): Promise<void>;
  /** Whether it runs at the moment. */
  isRunning(): boolean;
}

const pauseMs = 1000;

/**
 * Restarts a task that ends by itself, until it is stopped.
 * @throws the error of the first start(); later failures are retried
 */
export async function keepRunning(start: () => Promise<RunningTask>, log: Logger): Promise<KeptTask> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const first = await start();
  let isRunning = true;

  const restartUntilStopped = async (): Promise<void> => {
    for (let run: RunningTask | undefined = first; ; run = await start().catch(logFailedStart)) {
      isRunning = run !== undefined;
      if (run) await untilEnded(run, signal).catch((err: unknown) => logFailure(log, err, 'queue'));
      isRunning = false;
      if (signal.aborted) return;
      log.warn('the queue ended by itself, and is begun again');
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const logFailedStart = (err: unknown): undefined => void logFailure(log, err, 'the queue does not begin');
  const running = restartUntilStopped();
  return {
    isRunning: () => isRunning,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Stops it when the signal says so. */
async function untilEnded({ stop, ended }: RunningTask, signal: AbortSignal): Promise<void> {
  let stopped: Promise<void> | undefined;
  const onAbort = (): void => void (stopped = stop());
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    await ended;
    await stopped;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
