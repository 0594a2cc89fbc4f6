import { readConfig, type Config } from '../../src/config/config.ts';

// Settings are promised by examples: environments, and what each of them sets. A later version must read them as this one does.

/** Environments and what they set: of the empty one, all defaults. */
export type PromisedSettings = { env: Record<string, string>; sets: Partial<Config> }[];

const secret = 'a secret of thirty-two characters';
const ofPostgres = { DATABASE_URL: 'postgres://kontor:x@db.example:5432/kontor', KONTOR_SECRET: secret };
/** Each setting with a value that isn't its default, and with the outermost values that it accepts. */
const examples: Record<string, string>[] = [
  ofPostgres,
  { ...ofPostgres, DATABASE_DIRECT_URL: 'postgresql://kontor:x@direct.example/kontor' },
  {
    ...ofPostgres,
    DATABASE_BOOKS_URL: 'postgres://kontor_books:x@db.example/kontor',
    DATABASE_BOOKS_DIRECT_URL: 'postgres://kontor_books:x@direct.example/kontor',
  },
  { KONTOR_SECRET: secret },
  { KONTOR_SECRET: secret, KONTOR_SECRET_PREVIOUS: 'the secret that was before this one' },
  { DATABASE_CONNECTIONS: '2', DATABASE_BOOKS_CONNECTIONS: '2' },
  { DATABASE_CONNECTIONS: '1000', DATABASE_BOOKS_CONNECTIONS: '1000' },
  { DATA_DIR: '/var/lib/kontor', HOST: '::', PORT: '0' },
  { HOST: 'books.example', PORT: '65535' },
  { WEB_CONCURRENCY: '64' },
  { DRAIN_SECONDS: '300', KEEP_ALIVE_SECONDS: '1' },
  { DRAIN_SECONDS: '0.5', KEEP_ALIVE_SECONDS: '3600' },
  { PUBLIC_URL: 'https://books.example/kontor/', TRUSTED_PROXIES: '10', CONNECTIONS_PER_ADDRESS: '100000' },
  { CONNECTIONS_PER_ADDRESS: '0', MAX_RESPONSE_BYTES: '1000000' },
  { MAX_RESPONSE_BYTES: '100000000' },
  { RATE_LIMIT_PER_MINUTE: '0', RATE_LIMIT_STORE: 'memory' },
  { RATE_LIMIT_PER_MINUTE: '100000', RATE_LIMIT_MAX_PER_MINUTE: '100000', RATE_LIMIT_STORE: 'postgres' },
  ...['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((LOG_LEVEL) => ({ LOG_LEVEL })),
  { METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0', METRICS_TOKEN: 'hFpq81LxKv02TnZs' },
  { HEALTH_PORT: '4001', SLOW_QUERY_MS: '60000' },
  { SLOW_QUERY_MS: '0' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' },
  { CORS_ORIGINS: 'https://one.example, http://two.example:8080' },
  { GRAPHQL_INTROSPECTION: '0', SESSION_TRUSTED_DOCUMENTS: '1', WEBHOOK_ALLOW_INSECURE: 'true' },
  { GRAPHQL_INTROSPECTION: 'false' },
  { WEBHOOK_RETRY_DELAYS: '0,1,10,100,1000000', WEBHOOK_TIMEOUT: '3600' },
  { WEBHOOK_TIMEOUT: '0.1' },
  { AUDIT_LOG_YEARS: '7', EXPORT_DAYS: '1' },
  { AUDIT_LOG_YEARS: '100', EXPORT_DAYS: '365' },
  { EVENT_DAYS: '3650' },
  {
    FILES_URL: 's3://kontor-files/books',
    FILES_ENDPOINT: 'http://minio.example:9000',
    FILES_REGION: 'eu-central-1',
    FILES_KEY_ID: 'key',
    FILES_SECRET_KEY: 'secret',
    FILES_QUOTA: '100000',
  },
  { FILES_URL: 'file:///files', FILES_QUOTA: '1' },
  {
    BACKUP_FOLDER: '/backups',
    KONTOR_BACKUP_PASSPHRASE: 'correct horse battery',
    BACKUP_EVERY: '168',
    BACKUP_KEEP: '1000',
  },
  { BACKUP_FOLDER: '/backups', KONTOR_BACKUP_PASSPHRASE: 'twelve chars', BACKUP_EVERY: '1', BACKUP_KEEP: '1' },
  { ANCHOR_KEY: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=' },
  { TIMESTAMP_URL: 'http://tsa.example/tsr' },
];

/** Paths below the working directory differ between machines. */
const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(`"${process.cwd()}/`, '"./')) as unknown;

const read = (env: Record<string, string>): Record<string, unknown> =>
  comparable(readConfig(env)) as Record<string, unknown>;

export function promisedSettings(): PromisedSettings {
  const usual = read({});
  const sets = (env: Record<string, string>): Partial<Config> => {
    const changed = Object.entries(read(env)).filter(([name, value]) => !isSame(value, usual[name]));
    return Object.fromEntries(changed);
  };
  return [{ env: {}, sets: usual }, ...examples.map((env) => ({ env, sets: sets(env) }))];
}

/** @param readNow what reads the environment now */
export const compareSettings = (before: PromisedSettings, readNow = read): string[] =>
  before.flatMap(({ env, sets }) => {
    const about = JSON.stringify(env);
    try {
      const now = readNow(env);
      return Object.entries(sets)
        .filter(([name, value]) => !isSame(value, now[name]))
        .map(([name, value]) => `${about}: ${name} ${JSON.stringify(value)} → ${JSON.stringify(now[name])}`);
    } catch (error) {
      return [`${about}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
