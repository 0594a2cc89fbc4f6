import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { firstLogin } from './first-login.ts';
import { nodeOptions } from './processes/npm.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface OwnServer {
  child: ChildProcess;
  address: string;
  /** The demo tenant's token and login, as `npm start` reports them. */
  token: string;
  email: string;
  password: string;
}

/** Starts Kontor in its own process, with demo data, and with receivers on this machine allowed. */
export async function startOwnServer(dataDir: string): Promise<OwnServer> {
  const settings = {
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS: '0.5,1',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  const env = { ...process.env, ...settings, DATA_DIR: dataDir, PORT: '0', DATABASE_URL: '' };
  const child = spawn(process.execPath, [...nodeOptions, 'src/cli.ts', 'start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  for (;;) {
    const login = firstLogin(out);
    if (login) return { child, address: login.url, token: login.token, email: login.email, password: login.password };
    if (child.exitCode !== null) throw new Error('The server did not start');
    await sleep(50);
  }
}
