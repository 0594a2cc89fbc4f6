import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pretty from 'pino-pretty';
import * as vite from 'vite';
import { formatAddress, readConfig } from '../config/config.ts';
import { print, printError } from '../commands/output.ts';
import { joinEmbeddedPostgres } from '../database/postgres/embedded-postgres.ts';
import { shutdownRequested } from '../processes/signals.ts';
import { findFreePort } from '../database/postgres/free-port.ts';

// `npm run dev`, for developers. Vite's server listens on PORT: it serves the dashboard from its sources, reloads it as
// they change, and forwards everything else to `kontor start`, which is restarted as the server's sources change.
// Vite serves the dashboard without a Content-Security-Policy; `npm start` serves what `npm run build` made, with one.

const root = fileURLToPath(new URL('../..', import.meta.url));
const toServer =
  '^/(api|assets|docs|downloads|graphql|health|mcp|metrics|changelog(?:\\.\\w+)?|llms\\.txt|schema\\.graphql)(?=[/?]|$)';
const serverFolders = ['src', 'schema', 'rest-shim', 'prisma'];
const isOfServer = (path: string): boolean =>
  /\.(ts|graphql|sql)$/.test(path) && !/^src\/(dashboard|dev|pages\/(guides|dist))\//.test(path);
/** An editor writes several files at once. */
const settleMs = 100;

/** For the server's node: `--inspect`, say. */
const options = process.argv.slice(2);
const dataDir = process.env['DATA_DIR'] || join(root, '.data-dev');
const config = readConfig({ ...process.env, DATA_DIR: dataDir });
const address = config.publicUrl ?? formatAddress(config.host, config.port);

/** Runs `kontor start`, and restarts it. */
class Server {
  readonly port: number;
  readonly #log: NodeJS.WritableStream;
  readonly #errors: NodeJS.WritableStream;
  #child: ChildProcess | undefined;
  #isRestarting = false;
  #changed: string | undefined;

  /** @param errors for standard error, where statements are logged */
  constructor(port: number, log: NodeJS.WritableStream, errors: NodeJS.WritableStream) {
    this.port = port;
    this.#log = log;
    this.#errors = errors;
  }

  start(): void {
    const statements = process.env['LOG_SQL'] ? ['--import', new URL('log-statements.ts', import.meta.url).href] : [];
    const child = spawn(process.execPath, [...options, ...statements, 'src/cli.ts', 'start'], {
      cwd: root,
      env: {
        ...process.env,
        DATA_DIR: dataDir,
        HOST: '127.0.0.1',
        PORT: String(this.port),
        PUBLIC_URL: address,
        SESSION_TRUSTED_DOCUMENTS: '', // Vite's dashboard sends texts
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a terminal's Ctrl-C is for us alone: we stop it
    });
    child.stdout.pipe(this.#log, { end: false });
    child.stderr.pipe(this.#errors, { end: false });
    child.once('exit', (code) => {
      if (code) printError('The server has failed. It starts again when a file changes.');
    });
    this.#child = child;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  /** Restarts the server once for all files that change at about the same time. */
  async restart(changed: string): Promise<void> {
    this.#changed = changed;
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    while (this.#changed !== undefined) {
      await sleep(settleMs);
      printError(`${this.#changed} has changed: the server restarts.`);
      this.#changed = undefined;
      await this.stop();
      if (!stopping) this.start();
    }
    this.#isRestarting = false;
  }
}

let stopping = false;
const stopped = shutdownRequested();
// Joined here too, so that PostgreSQL goes on running while the server restarts.
const postgres = config.databaseUrl === null ? await joinEmbeddedPostgres(dataDir, printError) : undefined;
const prettyTo = ({ fd, isTTY }: typeof process.stdout | typeof process.stderr): NodeJS.WritableStream =>
  pretty({
    destination: fd,
    colorize: isTTY,
    translateTime: 'SYS:HH:MM:ss',
    messageFormat: '{msg}{if method} {method} {path} {status} in {ms} ms{end}',
    ignore: 'pid,hostname,method,path,status,ms',
    singleLine: true,
  });
const server = new Server(await findFreePort(), prettyTo(process.stdout), prettyTo(process.stderr));
try {
  const dashboard = await serveDashboard();
  server.start();
  print(`\nKontor, for development: ${address}/`);
  if (postgres) print(`The demo tenant's login is in ${join(dataDir, 'demo-login')}\n`);
  await stopped;
  stopping = true;
  await Promise.all([server.stop(), dashboard.close()]);
} catch (error) {
  printError((error as Error).message);
  process.exitCode = 1;
} finally {
  await postgres?.leave();
}
process.exit();

async function serveDashboard(): Promise<vite.ViteDevServer> {
  const { port } = server;
  const dev = await vite.createServer({
    root: join(root, 'src/dashboard'),
    cacheDir: join(dataDir, 'vite'),
    clearScreen: false,
    server: {
      host: config.host,
      port: config.port,
      strictPort: true,
      proxy: { [toServer]: { target: `http://127.0.0.1:${port}` } },
    },
  });
  dev.watcher.add(serverFolders.map((folder) => join(root, folder)));
  dev.watcher.on('all', (_event, file) => {
    const path = relative(root, file);
    if (isOfServer(path)) void server.restart(path);
  });
  return dev.listen();
}
