import { join, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { readSecretSetting } from './secret-settings.ts';
import {
  accessKeySecret,
  authorityUrl,
  bearerToken,
  drainTime,
  filesUrl,
  host,
  httpUrl,
  identifier,
  keepAliveTime,
  onOrOff,
  oneOf,
  origins,
  passphrase,
  path,
  postgresUrl,
  publicUrl,
  retryDelays,
  signingKey,
  strongSecret,
  timeout,
  wholeNumber,
  type SettingType,
} from './setting-types.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const rateLimitStores = ['memory', 'postgres'] as const;

/** The longest response by default, in bytes. */
export const defaultMaxResponseBytes = 10_000_000;

/** The highest limit of requests in any 60 seconds that can be set. */
const maxRateLimit = 100_000;

/** How long events are kept by default, and at least, in days. */
export const defaultEventDays = 90;

const hourMs = 3_600_000;

/** Longer than most balancers keep connections: whoever closes one first must not be the one who gets the next request. */
export const defaultKeepAliveMs = 75_000;

/** The validated settings from the environment. OPERATING.md#settings describes each variable. */
export interface Config {
  /** The URL of the operator's own PostgreSQL; null for the embedded one. */
  databaseUrl: string | null;
  /** The URL of the same database without a pooler, if `databaseUrl` names a pooler in transaction mode. */
  databaseDirectUrl: string | null;
  /** The URL of the same database with a login of the role kontor_books; null: `databaseUrl` with `set role`. */
  databaseBooksUrl: string | null;
  /** The same without a pooler, for processes that work on the queue, if `databaseBooksUrl` names a pooler. */
  databaseBooksDirectUrl: string | null;
  /** The most connections of each process: of its own, and to the tenants' books. */
  databaseConnections: number;
  databaseBooksConnections: number;
  /** Absolute. */
  dataDir: string;
  /** How the embedded database is backed up by itself; null: it isn't. */
  backups: BackupSetting | null;
  host: string;
  /** 0: any free port. */
  port: number;
  /** How many processes serve on the port. */
  webConcurrency: number;
  /** Milliseconds of a shutdown in which requests are still accepted, while /health/ready answers 503. */
  drainMs: number;
  /** Milliseconds that a connection of a client may be idle between two requests. */
  keepAliveMs: number;
  /** The address of the service for clients, without a trailing slash; null if not set: then host and port are used. */
  publicUrl: string | null;
  /** The number of trusted proxies in front of the service, which set `X-Forwarded-For`. */
  trustedProxies: number;
  /** The limit of connections of one client address to each process; 0: no separate limit. Null if not set. */
  connectionsPerAddress: number | null;
  /** The longest response, in bytes. */
  maxResponseBytes: number;
  /** Requests per token in any 60 seconds; 0: no limit. */
  rateLimitPerMinute: number;
  /** The highest limit that a token can be given of its own. */
  rateLimitMaxPerMinute: number;
  /** Null if not set: the default depends on the number of processes. */
  rateLimitStore: (typeof rateLimitStores)[number] | null;
  /** KONTOR_SECRET, which encrypts webhook secrets; null only with the embedded database (see readOrCreateSecret()). */
  secret: string | null;
  /** KONTOR_SECRET_PREVIOUS, which is being replaced by KONTOR_SECRET; null if none is. */
  previousSecret: string | null;
  logLevel: (typeof logLevels)[number];
  /** A separate port for /metrics; null: none. */
  metricsPort: number | null;
  metricsHost: string;
  /** The port of `work` for /health/live and /health/ready; null: none. */
  healthPort: number | null;
  /** The token for /metrics on the port of the APIs; null: /metrics isn't served there. */
  metricsToken: string | null;
  /** How long a statement may take before it is logged, in milliseconds; 0: none is. */
  slowQueryMs: number;
  /** Whether to send traces. OpenTelemetry itself reads its variables. */
  traces: boolean;
  /** Exactly as browsers send them in `Origin`. */
  corsOrigins: string[];
  /** Whether GraphQL exposes its schema. */
  graphqlIntrospection: boolean;
  /** Whether the GraphQL requests of sessions may only name trusted documents. */
  sessionTrustedDocuments: boolean;
  /** Whether webhooks may go to http and to private addresses. */
  webhookAllowInsecure: boolean;
  /** Milliseconds to wait before each retry: as many retries as there are delays. */
  webhookRetryDelaysMs: number[];
  /** The timeout of a whole delivery attempt, in milliseconds. */
  webhookTimeoutMs: number;
  /** How long the audit log is kept, in years. */
  auditLogYears: number;
  /** How long events, deliveries, and their attempts are kept, in days. */
  eventDays: number;
  /** How long exports and their files are kept after their end, in days. */
  exportDays: number;
  /** Where files are kept that people upload: a folder, or a bucket of S3. */
  files: FilesSetting;
  /** How much the files of one tenant may have in all, in bytes. */
  filesQuota: number;
  /** The private key that signs anchors, in Base64; null: one that is derived from KONTOR_SECRET (see readAnchorKey()). */
  anchorKey: string | null;
  /** Where anchors get time-stamps (RFC 3161); null: they get none. */
  timestampUrl: string | null;
}

export interface BackupSetting {
  /** Absolute. */
  folder: string;
  everyMs: number;
  /** How many are kept. */
  keep: number;
  passphrase: string;
}

/** A folder, absolute; or a bucket as `src/storage/s3-storage.ts` describes it. */
export type FilesSetting =
  | { folder: string }
  | {
      bucket: string;
      prefix: string;
      endpoint: string | null;
      region: string;
      credentials: { keyId: string; secretKey: string } | null;
    };

export { ConfigError };

/**
 * Reads and checks the environment. A variable that is empty counts as unset. A secret can be in a file (readSecretSetting()).
 *
 * @throws ConfigError naming the first invalid variable and the values that it accepts
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = <T>(name: string, { accepted, parse, isSecret = false }: SettingType<T>): T | undefined => {
    const given = isSecret ? readSecretSetting(env, name) : { text: env[name] ?? '', variable: name };
    if (!given?.text) return undefined;
    const { text, variable } = given;
    const value = parse(text);
    if (value !== undefined) return value;
    if (variable !== name) throw new ConfigError(`The content of ${variable} is not accepted: it must be ${accepted}`);
    // Quoted as JSON, so that line breaks in it are escaped.
    throw new ConfigError(
      `${name}${isSecret ? '' : `=${JSON.stringify(text)}`} is not accepted: it must be ${accepted}`,
    );
  };

  const databaseUrl = read('DATABASE_URL', postgresUrl);
  const databaseDirectUrl = read('DATABASE_DIRECT_URL', postgresUrl);
  if (databaseDirectUrl !== undefined && databaseUrl === undefined) {
    throw new ConfigError('DATABASE_DIRECT_URL is accepted only with DATABASE_URL, which then names a pooler');
  }
  const databaseBooksUrl = read('DATABASE_BOOKS_URL', postgresUrl);
  if (databaseBooksUrl !== undefined && databaseUrl === undefined) {
    throw new ConfigError('DATABASE_BOOKS_URL is accepted only with DATABASE_URL');
  }
  const databaseBooksDirectUrl = read('DATABASE_BOOKS_DIRECT_URL', postgresUrl);
  if (databaseBooksDirectUrl !== undefined && databaseBooksUrl === undefined) {
    throw new ConfigError(
      'DATABASE_BOOKS_DIRECT_URL is accepted only with DATABASE_BOOKS_URL, which then names a pooler',
    );
  }
  const secret = read('KONTOR_SECRET', strongSecret);
  const previousSecret = read('KONTOR_SECRET_PREVIOUS', strongSecret);
  if (previousSecret !== undefined && secret === undefined)
    throw new ConfigError('KONTOR_SECRET_PREVIOUS is accepted only with KONTOR_SECRET');
  if (databaseUrl !== undefined && secret === undefined) {
    throw new ConfigError(
      'KONTOR_SECRET is missing: with DATABASE_URL it is required, at least 32 random characters, the same for all processes',
    );
  }

  const webConcurrency = read('WEB_CONCURRENCY', wholeNumber(1, 64)) ?? 1;
  const rateLimitStore = read('RATE_LIMIT_STORE', oneOf(rateLimitStores)) ?? null;
  if (webConcurrency > 1 && rateLimitStore === 'memory') {
    throw new ConfigError(
      'RATE_LIMIT_STORE=memory is not accepted with WEB_CONCURRENCY above 1: each process would count separately',
    );
  }

  const rateLimitPerMinute = read('RATE_LIMIT_PER_MINUTE', wholeNumber(0, maxRateLimit, { zero: 'off' })) ?? 60;
  const rateLimitMaxPerMinute =
    read('RATE_LIMIT_MAX_PER_MINUTE', wholeNumber(1, maxRateLimit)) ??
    (rateLimitPerMinute === 0 ? maxRateLimit : Math.min(10 * rateLimitPerMinute, maxRateLimit));
  if (rateLimitMaxPerMinute < rateLimitPerMinute) {
    throw new ConfigError('RATE_LIMIT_MAX_PER_MINUTE is not accepted: it must not be lower than RATE_LIMIT_PER_MINUTE');
  }

  const dataDir = resolve(read('DATA_DIR', path) ?? '.data');
  const backupFolder = read('BACKUP_FOLDER', path);
  const backupHours = read('BACKUP_EVERY', wholeNumber(1, 168, { unit: 'hours' }));
  const backupKeep = read('BACKUP_KEEP', wholeNumber(1, 1000));
  // Without a schedule, it is for `backup` and `restore`, which say what is wrong with it.
  const backupPassphrase = backupFolder === undefined ? undefined : read('KONTOR_BACKUP_PASSPHRASE', passphrase);
  if (backupFolder !== undefined && databaseUrl !== undefined)
    throw new ConfigError('BACKUP_FOLDER is accepted only without DATABASE_URL: it is for the embedded database');
  if (backupFolder !== undefined && backupPassphrase === undefined)
    throw new ConfigError('KONTOR_BACKUP_PASSPHRASE is missing: with BACKUP_FOLDER it is required');
  if (backupFolder === undefined && (backupHours ?? backupKeep) !== undefined)
    throw new ConfigError('BACKUP_EVERY and BACKUP_KEEP are accepted only with BACKUP_FOLDER');
  const backups: BackupSetting | null =
    backupFolder !== undefined && backupPassphrase !== undefined
      ? {
          folder: resolve(backupFolder),
          everyMs: (backupHours ?? 24) * hourMs,
          keep: backupKeep ?? 7,
          passphrase: backupPassphrase,
        }
      : null;
  const place = read('FILES_URL', filesUrl);
  const endpoint = read('FILES_ENDPOINT', publicUrl);
  const region = read('FILES_REGION', identifier('the name of a region, such as eu-central-1'));
  const keyId = read('FILES_KEY_ID', identifier('the id of an access key'));
  const secretKey = read('FILES_SECRET_KEY', accessKeySecret);
  if ((keyId === undefined) !== (secretKey === undefined))
    throw new ConfigError('FILES_KEY_ID and FILES_SECRET_KEY are accepted only together');
  const isBucket = place !== undefined && 'bucket' in place;
  if (!isBucket && (endpoint ?? region ?? keyId) !== undefined)
    throw new ConfigError(
      'FILES_ENDPOINT, FILES_REGION, and FILES_KEY_ID are accepted only with a FILES_URL of s3://BUCKET',
    );
  const credentials = keyId !== undefined && secretKey !== undefined ? { keyId, secretKey } : null;
  const files: FilesSetting = isBucket
    ? { ...place, endpoint: endpoint ?? null, region: region ?? 'us-east-1', credentials }
    : (place ?? { folder: join(dataDir, 'files') });

  return {
    databaseUrl: databaseUrl ?? null,
    databaseDirectUrl: databaseDirectUrl ?? null,
    databaseBooksUrl: databaseBooksUrl ?? null,
    databaseBooksDirectUrl: databaseBooksDirectUrl ?? null,
    databaseConnections: read('DATABASE_CONNECTIONS', wholeNumber(2, 1000)) ?? computeShare(10, webConcurrency),
    databaseBooksConnections:
      read('DATABASE_BOOKS_CONNECTIONS', wholeNumber(2, 1000)) ?? computeShare(20, webConcurrency),
    dataDir,
    backups,
    host: read('HOST', host) ?? '127.0.0.1',
    port: read('PORT', wholeNumber(0, 65_535)) ?? 4000,
    webConcurrency,
    drainMs: read('DRAIN_SECONDS', drainTime) ?? 0,
    keepAliveMs: read('KEEP_ALIVE_SECONDS', keepAliveTime) ?? defaultKeepAliveMs,
    publicUrl: read('PUBLIC_URL', publicUrl) ?? null,
    trustedProxies: read('TRUSTED_PROXIES', wholeNumber(0, 10)) ?? 0,
    connectionsPerAddress: read('CONNECTIONS_PER_ADDRESS', wholeNumber(0, 100_000, { zero: 'off' })) ?? null,
    maxResponseBytes: read('MAX_RESPONSE_BYTES', wholeNumber(1_000_000, 100_000_000)) ?? defaultMaxResponseBytes,
    rateLimitPerMinute,
    rateLimitMaxPerMinute,
    rateLimitStore,
    secret: secret ?? null,
    previousSecret: previousSecret ?? null,
    logLevel: read('LOG_LEVEL', oneOf(logLevels)) ?? 'info',
    metricsPort: read('METRICS_PORT', wholeNumber(0, 65_535)) ?? null,
    metricsHost: read('METRICS_HOST', host) ?? '127.0.0.1',
    healthPort: read('HEALTH_PORT', wholeNumber(0, 65_535)) ?? null,
    metricsToken: read('METRICS_TOKEN', bearerToken) ?? null,
    slowQueryMs: read('SLOW_QUERY_MS', wholeNumber(0, 60_000, { unit: 'milliseconds', zero: 'off' })) ?? 1000,
    traces: read('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl) !== undefined,
    corsOrigins: read('CORS_ORIGINS', origins) ?? [],
    graphqlIntrospection: read('GRAPHQL_INTROSPECTION', onOrOff) ?? true,
    sessionTrustedDocuments: read('SESSION_TRUSTED_DOCUMENTS', onOrOff) ?? false,
    webhookAllowInsecure: read('WEBHOOK_ALLOW_INSECURE', onOrOff) ?? false,
    webhookRetryDelaysMs: read('WEBHOOK_RETRY_DELAYS', retryDelays) ?? [
      10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ],
    webhookTimeoutMs: read('WEBHOOK_TIMEOUT', timeout) ?? 10_000,
    // Austria's law asks for seven years (§ 132 BAO), Germany's for ten (§ 147 AO).
    auditLogYears: read('AUDIT_LOG_YEARS', wholeNumber(7, 100)) ?? 10,
    // No shorter than rest-shim/CONTRACT.md#event-log promises.
    eventDays: read('EVENT_DAYS', wholeNumber(defaultEventDays, 3650)) ?? defaultEventDays,
    exportDays: read('EXPORT_DAYS', wholeNumber(1, 365)) ?? 7,
    files,
    filesQuota: (read('FILES_QUOTA', wholeNumber(1, 100_000, { unit: 'GiB' })) ?? 10) * 2 ** 30,
    anchorKey: read('ANCHOR_KEY', signingKey) ?? null,
    timestampUrl: read('TIMESTAMP_URL', authorityUrl) ?? null,
  };
}

/**
 * With several processes each has fewer connections, so that a tenant which uses its share of all of them leaves enough of
 * PostgreSQL's cores to others.
 */
const computeShare = (usual: number, processes: number): number => Math.ceil(usual * Math.min(1, 1.6 / processes));

/** The default of PUBLIC_URL, from host and port. */
export const formatAddress = (name: string, port: number): string =>
  `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
