import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface OwnServer {
  child: ChildProcess;
  address: string;
  /** The demo tenant's token and login, as `npm start` prints them. */
  token: string;
  email: string;
  password: string;
}

/** The whole of Kontor in a process of its own, with its demo data, and with receivers on this machine allowed. */
export async function startOwnServer(dataDir: string): Promise<OwnServer> {
  const settings = {
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS: '0.5,1',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  const env = { ...process.env, ...settings, DATA_DIR: dataDir, PORT: '0', DATABASE_URL: '' };
  const child = spawn(process.execPath, ['src/cli.ts', 'start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  for (;;) {
    const [, email, password] = /Login +(\S+)\s+Password +(\S+)/.exec(out) ?? [];
    const [, token, address] = /Bearer (\w+)' '(http[^/]+\/\/[^/]+)/.exec(out) ?? [];
    if (token && address && email && password) return { child, address, token, email, password };
    if (child.exitCode !== null) throw new Error('The server did not start');
    await sleep(50);
  }
}
