import { execFile } from 'node:child_process';
import { readFile, readdir, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { runOn } from './cluster.ts';

const run = promisify(execFile);

interface Files {
  folder: string;
  binaries: string;
}

/** A server of the cluster that runs on this machine, as a user whose processes the tests may signal. */
export class LocalServer {
  readonly #files: Files;

  private constructor(files: Files) {
    this.#files = files;
  }

  /** @returns undefined if the server runs elsewhere */
  static async find(url: string): Promise<LocalServer | undefined> {
    const [files] = await runOn(
      url,
      'postgres',
      `select current_setting('data_directory') as folder, setting as binaries from pg_config where name = 'BINDIR'`,
    );
    const server = new LocalServer(files as unknown as Files);
    return (await server.#processes().catch(() => [])).length > 1 ? server : undefined;
  }

  /** Its processes answer nothing, and close nothing. */
  async hang(): Promise<void> {
    for (const pid of await this.#processes()) process.kill(pid, 'SIGSTOP');
  }

  async goOn(): Promise<void> {
    for (const pid of await this.#processes()) process.kill(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.#control('stop', '-m', 'immediate');
  }

  async start(): Promise<void> {
    await this.#control('start', '-l', `${this.#files.folder}/server.log`);
  }

  async #control(...command: string[]): Promise<void> {
    const { folder, binaries } = this.#files;
    const { uid, gid } = await stat(folder);
    await run(`${binaries}/pg_ctl`, ['-D', folder, '-w', ...command], { uid, gid, cwd: '/', env: { HOME: folder } });
  }

  async #processes(): Promise<number[]> {
    const [first = ''] = (await readFile(`${this.#files.folder}/postmaster.pid`, 'utf8')).split('\n');
    const postmaster = Number(first);
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const children = await Promise.all(
      pids.map(async (pid) => {
        const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
        const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(line) ?? [];
        return Number(parent) === postmaster ? [pid] : [];
      }),
    );
    return [postmaster, ...children.flat()];
  }
}
