import { statSync } from 'node:fs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { readConfig, type Config } from '../config/config.ts';
import { Keyring } from './keyring.ts';
import { findSecretProblem } from './secret-check.ts';

/** How often a process looks which secret encrypts, and whether files of secrets have changed. */
const lookMs = 2000;

/**
 * How long after a rotation began a process may still write what the former secret encrypted: it looks every two seconds, and then
 * a request may last for 15 more (OPERATING.md#timeouts).
 */
export const settledMs = 20_000;

/** The settings whose files are read again while a process runs. */
const watched = ['KONTOR_SECRET_FILE', 'KONTOR_SECRET_PREVIOUS_FILE', 'METRICS_TOKEN_FILE'];

export interface SecretWatch {
  stop: () => void;
}

/**
 * Has a keyring follow the database and the files of the settings, until it is stopped.
 * @param onConfig receives the settings after a file has changed
 */
export function watchSecrets(
  pool: Pool,
  keyring: Keyring,
  log: Logger,
  onConfig: (config: Config) => void,
  env: NodeJS.ProcessEnv = process.env,
): SecretWatch {
  let seen = describeFiles(env);
  let told: string | undefined;
  let looking = false;
  const tell = (problem: string | undefined): void => {
    if (problem !== undefined && problem !== told) log.error(problem);
    told = problem;
  };

  const look = async (): Promise<void> => {
    const now = describeFiles(env);
    if (now !== seen) {
      const problem = await reload();
      seen = now;
      if (problem !== undefined) return tell(problem);
    }
    tell(await findSecretProblem(pool, keyring));
  };
  /** Reads the secrets again. @returns the problem of the changed files: the secrets from before are kept then */
  const reload = async (): Promise<string | undefined> => {
    let config: Config;
    try {
      config = readConfig(env);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (config.secret !== null) {
      const problem = await findSecretProblem(pool, new Keyring(config.secret, config.previousSecret));
      if (problem !== undefined) return problem;
      keyring.know(config.secret, config.previousSecret);
    }
    onConfig(config);
    log.info('the secrets were read again');
    return undefined;
  };

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(() => {}) // the database doesn't answer: readiness says so
      .finally(() => (looking = false));
  }, lookMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** A text that changes with the files. A file may be a link, which then leads to another file. */
const describeFiles = (env: NodeJS.ProcessEnv): string =>
  watched
    .map((name) => {
      const file = env[name];
      if (!file) return '';
      try {
        const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
        return [dev, ino, size, mtimeMs, ctimeMs].join();
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? '';
      }
    })
    .join(' ');
