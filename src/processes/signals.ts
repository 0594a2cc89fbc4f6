import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { stopRequested } from './ipc.ts';

const watchEveryMs = 250;

/**
 * Settles when the process should stop: at SIGINT, SIGTERM or SIGHUP, when the primary asks for it, or when npm, which started
 * the process, has ended. A second signal ends the process immediately.
 */
export function shutdownRequested(): Promise<void> {
  return new Promise((resolve) => {
    let isSignalled = false;
    const stop = (): void => {
      if (isSignalled) process.exit(130);
      isSignalled = true;
      resolve();
    };
    void stopRequested.then(resolve);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    // The primary asks its children.
    if (cluster.isPrimary && process.env['npm_lifecycle_event'] !== undefined) watchNpm(resolve);
  });
}

// If npm is killed, it can't pass the signal on, and this process would keep the port. There may be a shell between npm and
// this process.
function watchNpm(onExit: () => void): void {
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    onExit();
  }, watchEveryMs);
  timer.unref();
}

function ancestors(): string {
  return `${process.ppid} ${findParent(process.ppid)}`;
}

/** Undefined where there is no /proc. */
function findParent(pid: number): string | undefined {
  try {
    return /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
