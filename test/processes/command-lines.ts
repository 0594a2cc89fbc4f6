import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ended, Order } from './command-line-host.ts';
import { kontor as inProcessOfItsOwn, nodeOptions, root } from './npm.ts';

let host: ChildProcess | undefined;
let queue: Promise<unknown> = Promise.resolve();

/** One for all test files of this process. It ends with it. */
async function startHost(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('command-line-host.ts', import.meta.url)), {
    cwd: root,
    execArgv: nodeOptions,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  child.unref();
  child.channel?.unref();
  return child;
}

async function runInHost(order: Order): Promise<Ended> {
  const child = host?.connected ? host : (host = await startHost());
  const over = new AbortController();
  const { signal } = over;
  child.channel?.ref(); // keeps this process until it is answered
  child.send(order);
  const ended = once(child, 'message', { signal }).then(([message]) => message as Ended);
  const gone = once(child, 'exit', { signal }).then(() =>
    Promise.reject(new Error(`It did not end: ${order.args.join(' ')}`)),
  );
  try {
    return await Promise.race([ended, gone]);
  } finally {
    over.abort();
    child.channel?.unref();
  }
}

/** Only a start of Node reads these. */
const readAtStart = ['NODE_OPTIONS', 'LD_PRELOAD'];

/**
 * The same as kontor() of npm.ts without a start of Node for each command, which takes half a second of CPU time: commands
 * run one after the other in one process, which loads their code once. For each it has its arguments, environment and
 * input, and waits until nothing is left that would keep a process of its own from ending. Each command is run by a test in
 * a process of its own as well.
 */
export const kontor: typeof inProcessOfItsOwn = (args, env, input) => {
  if (readAtStart.some((name) => env[name] !== undefined)) return inProcessOfItsOwn(args, env, input);
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const order: Order = {
    args,
    env: { ...Object.fromEntries(inherited), ...env },
    ...(input !== undefined && { input }),
  };
  const run = queue.then(() => runInHost(order));
  queue = run.catch(() => {});
  return run;
};
