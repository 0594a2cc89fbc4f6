import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from './config-error.ts';
import { readSecretSetting } from './secret-settings.ts';
import { isStrongSecret, measureVariety } from './secret-strength.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const rateLimitStores = ['memory', 'postgres'] as const;

/** The longest response by default, in bytes. */
export const defaultMaxResponseBytes = 10_000_000;

/** The shortest passphrase of a backup: a shorter one could be guessed, despite the cost of scrypt. */
export const minPassphraseLength = 12;

/** The highest limit of requests in any 60 seconds that can be set. */
const maxRateLimit = 100_000;

/** How long events are kept by default, and at least, in days. */
export const defaultEventDays = 90;

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
  const read = <T>(
    name: string,
    accepted: string,
    parse: (text: string) => T | undefined,
    secret = false,
  ): T | undefined => {
    const given = secret ? readSecretSetting(env, name) : { text: env[name] ?? '', variable: name };
    if (!given?.text) return undefined;
    const { text, variable } = given;
    const value = parse(text);
    if (value !== undefined) return value;
    if (variable !== name) throw new ConfigError(`The content of ${variable} is not accepted: it must be ${accepted}`);
    // Quoted as JSON, so that line breaks in it are escaped.
    throw new ConfigError(`${name}${secret ? '' : `=${JSON.stringify(text)}`} is not accepted: it must be ${accepted}`);
  };

  const databaseUrl = read('DATABASE_URL', 'a postgres:// or postgresql:// URL', postgresUrl, true);
  const databaseDirectUrl = read('DATABASE_DIRECT_URL', 'a postgres:// or postgresql:// URL', postgresUrl, true);
  if (databaseDirectUrl !== undefined && databaseUrl === undefined) {
    throw new ConfigError('DATABASE_DIRECT_URL is accepted only with DATABASE_URL, which then names a pooler');
  }
  const databaseBooksUrl = read('DATABASE_BOOKS_URL', 'a postgres:// or postgresql:// URL', postgresUrl, true);
  if (databaseBooksUrl !== undefined && databaseUrl === undefined) {
    throw new ConfigError('DATABASE_BOOKS_URL is accepted only with DATABASE_URL');
  }
  const databaseBooksDirectUrl = read(
    'DATABASE_BOOKS_DIRECT_URL',
    'a postgres:// or postgresql:// URL',
    postgresUrl,
    true,
  );
  if (databaseBooksDirectUrl !== undefined && databaseBooksUrl === undefined) {
    throw new ConfigError(
      'DATABASE_BOOKS_DIRECT_URL is accepted only with DATABASE_BOOKS_URL, which then names a pooler',
    );
  }
  const secret = read('KONTOR_SECRET', ...strongSecret);
  const previousSecret = read('KONTOR_SECRET_PREVIOUS', ...strongSecret);
  if (previousSecret !== undefined && secret === undefined)
    throw new ConfigError('KONTOR_SECRET_PREVIOUS is accepted only with KONTOR_SECRET');
  if (databaseUrl !== undefined && secret === undefined) {
    throw new ConfigError(
      'KONTOR_SECRET is missing: with DATABASE_URL it is required, at least 32 random characters, the same for all processes',
    );
  }

  const webConcurrency = read('WEB_CONCURRENCY', 'a whole number from 1 to 64', concurrency) ?? 1;
  const rateLimitStore = read('RATE_LIMIT_STORE', rateLimitStores.join(' or '), readOneOf(rateLimitStores)) ?? null;
  if (webConcurrency > 1 && rateLimitStore === 'memory') {
    throw new ConfigError(
      'RATE_LIMIT_STORE=memory is not accepted with WEB_CONCURRENCY above 1: each process would count separately',
    );
  }

  const rateLimitPerMinute =
    read('RATE_LIMIT_PER_MINUTE', 'a whole number from 0 (off) to 100000', wholeNumber(maxRateLimit)) ?? 60;
  const rateLimitMaxPerMinute =
    read('RATE_LIMIT_MAX_PER_MINUTE', 'a whole number from 1 to 100000', positiveNumber(maxRateLimit)) ??
    (rateLimitPerMinute === 0 ? maxRateLimit : Math.min(10 * rateLimitPerMinute, maxRateLimit));
  if (rateLimitMaxPerMinute < rateLimitPerMinute) {
    throw new ConfigError('RATE_LIMIT_MAX_PER_MINUTE is not accepted: it must not be lower than RATE_LIMIT_PER_MINUTE');
  }

  const dataDir = resolve(read('DATA_DIR', 'a path', path) ?? '.data');
  const backupFolder = read('BACKUP_FOLDER', 'a path', path);
  const backupEveryMs = read('BACKUP_EVERY', 'a whole number of hours from 1 to 168', backupHours);
  const backupKeep = read('BACKUP_KEEP', 'a whole number from 1 to 1000', positiveNumber(1000));
  // Without a schedule, it is for `backup` and `restore`, which say what is wrong with it.
  const passphrase =
    backupFolder === undefined
      ? undefined
      : read('KONTOR_BACKUP_PASSPHRASE', `at least ${minPassphraseLength} characters`, passphraseText, true);
  if (backupFolder !== undefined && databaseUrl !== undefined)
    throw new ConfigError('BACKUP_FOLDER is accepted only without DATABASE_URL: it is for the embedded database');
  if (backupFolder !== undefined && passphrase === undefined)
    throw new ConfigError('KONTOR_BACKUP_PASSPHRASE is missing: with BACKUP_FOLDER it is required');
  if (backupFolder === undefined && (backupEveryMs ?? backupKeep) !== undefined)
    throw new ConfigError('BACKUP_EVERY and BACKUP_KEEP are accepted only with BACKUP_FOLDER');
  const backups: BackupSetting | null =
    backupFolder !== undefined && passphrase !== undefined
      ? { folder: resolve(backupFolder), everyMs: backupEveryMs ?? 24 * hourMs, keep: backupKeep ?? 7, passphrase }
      : null;
  const place = read('FILES_URL', 's3://BUCKET, s3://BUCKET/PREFIX, or file:///FOLDER', filesUrl);
  const endpoint = read(
    'FILES_ENDPOINT',
    'an http:// or https:// URL without credentials, query or fragment',
    publicUrl,
  );
  const region = read('FILES_REGION', 'the name of a region, such as eu-central-1', identifier);
  const keyId = read('FILES_KEY_ID', 'the id of an access key', identifier);
  const secretKey = read('FILES_SECRET_KEY', 'the secret of an access key', secretText, true);
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
    databaseConnections:
      read('DATABASE_CONNECTIONS', 'a whole number from 2 to 1000', connections) ?? computeShare(10, webConcurrency),
    databaseBooksConnections:
      read('DATABASE_BOOKS_CONNECTIONS', 'a whole number from 2 to 1000', connections) ??
      computeShare(20, webConcurrency),
    dataDir,
    backups,
    host: read('HOST', 'an IP address or a host name', host) ?? '127.0.0.1',
    port: read('PORT', 'a whole number from 0 to 65535', wholeNumber(65_535)) ?? 4000,
    webConcurrency,
    drainMs: read('DRAIN_SECONDS', 'a number of seconds, at most 300', drain) ?? 0,
    keepAliveMs: read('KEEP_ALIVE_SECONDS', 'a number of seconds from 1 to 3600', keepAlive) ?? defaultKeepAliveMs,
    publicUrl:
      read('PUBLIC_URL', 'an http:// or https:// URL without credentials, query or fragment', publicUrl) ?? null,
    trustedProxies: read('TRUSTED_PROXIES', 'a whole number from 0 to 10', wholeNumber(10)) ?? 0,
    connectionsPerAddress:
      read('CONNECTIONS_PER_ADDRESS', 'a whole number from 0 (off) to 100000', wholeNumber(100_000)) ?? null,
    maxResponseBytes:
      read('MAX_RESPONSE_BYTES', 'a whole number from 1000000 to 100000000', responseLength) ?? defaultMaxResponseBytes,
    rateLimitPerMinute,
    rateLimitMaxPerMinute,
    rateLimitStore,
    secret: secret ?? null,
    previousSecret: previousSecret ?? null,
    logLevel: read('LOG_LEVEL', `one of ${logLevels.join(', ')}`, readOneOf(logLevels)) ?? 'info',
    metricsPort: read('METRICS_PORT', 'a whole number from 0 to 65535', wholeNumber(65_535)) ?? null,
    metricsHost: read('METRICS_HOST', 'an IP address or a host name', host) ?? '127.0.0.1',
    healthPort: read('HEALTH_PORT', 'a whole number from 0 to 65535', wholeNumber(65_535)) ?? null,
    metricsToken: read('METRICS_TOKEN', 'at least 16 visible characters, at random', visible, true) ?? null,
    slowQueryMs:
      read('SLOW_QUERY_MS', 'a whole number of milliseconds from 0 (off) to 60000', wholeNumber(60_000)) ?? 1000,
    traces: read('OTEL_EXPORTER_OTLP_ENDPOINT', 'an http:// or https:// URL', httpUrl) !== undefined,
    corsOrigins:
      read(
        'CORS_ORIGINS',
        'origins as browsers send them, scheme://host[:port], lower case, comma-separated',
        list(origin),
      ) ?? [],
    graphqlIntrospection: read('GRAPHQL_INTROSPECTION', '0, 1, true or false', (text) => switches.get(text)) ?? true,
    sessionTrustedDocuments:
      read('SESSION_TRUSTED_DOCUMENTS', '0, 1, true or false', (text) => switches.get(text)) ?? false,
    webhookAllowInsecure: read('WEBHOOK_ALLOW_INSECURE', '0, 1, true or false', (text) => switches.get(text)) ?? false,
    webhookRetryDelaysMs: read(
      'WEBHOOK_RETRY_DELAYS',
      'at most 5 numbers of seconds from 0 to 1000000, comma-separated',
      retryDelays,
    ) ?? [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000],
    webhookTimeoutMs: read('WEBHOOK_TIMEOUT', 'a number of seconds above 0, at most 3600', timeout) ?? 10_000,
    auditLogYears: read('AUDIT_LOG_YEARS', 'a whole number from 7 to 100', retentionYears) ?? 10,
    eventDays: read('EVENT_DAYS', 'a whole number from 90 to 3650', eventDays) ?? defaultEventDays,
    exportDays: read('EXPORT_DAYS', 'a whole number from 1 to 365', exportDays) ?? 7,
    files,
    filesQuota:
      (read('FILES_QUOTA', 'a whole number of GiB from 1 to 100000', positiveNumber(100_000)) ?? 10) * 2 ** 30,
    anchorKey:
      read(
        'ANCHOR_KEY',
        '32 random bytes in Base64, such as `openssl rand -base64 32` prints',
        (text) => (/^[A-Za-z0-9+/]{43}=$/.test(text) && isStrongSecret(text) ? text : undefined),
        true,
      ) ?? null,
    timestampUrl:
      read('TIMESTAMP_URL', 'an http:// or https:// URL without credentials or fragment', authorityUrl) ?? null,
  };
}

/** The form that a secret must have, for read(). */
const strongSecret = [
  'at least 32 random characters, such as `openssl rand -base64 32` prints',
  (text: string): string | undefined => (isStrongSecret(text) ? text : undefined),
  true,
] as const;

const switches = new Map([
  ['0', false],
  ['1', true],
  ['true', true],
  ['false', false],
]);

const readOneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T | undefined =>
    values.find((value) => value === text);

/**
 * With several processes each has fewer connections, so that a tenant which uses its share of all of them leaves enough of
 * PostgreSQL's cores to others.
 */
const computeShare = (usual: number, processes: number): number => Math.ceil(usual * Math.min(1, 1.6 / processes));

const wholeNumber =
  (max: number) =>
  (text: string): number | undefined =>
    /^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined;

const connections = (text: string): number | undefined => {
  const count = wholeNumber(1000)(text);
  return count !== undefined && count >= 2 ? count : undefined;
};

const responseLength = (text: string): number | undefined => {
  const bytes = wholeNumber(100_000_000)(text);
  return bytes !== undefined && bytes >= 1_000_000 ? bytes : undefined;
};

/** Austria's law asks for seven years (§ 132 BAO), Germany's for ten (§ 147 AO). */
const retentionYears = (text: string): number | undefined => {
  const years = wholeNumber(100)(text);
  return years !== undefined && years >= 7 ? years : undefined;
};

/** No shorter than rest-shim/CONTRACT.md#event-log promises. */
const eventDays = (text: string): number | undefined => {
  const days = wholeNumber(3650)(text);
  return days !== undefined && days >= defaultEventDays ? days : undefined;
};

const exportDays = (text: string): number | undefined => {
  const days = wholeNumber(365)(text);
  return days !== undefined && days >= 1 ? days : undefined;
};

const hourMs = 3_600_000;

const backupHours = (text: string): number | undefined => {
  const hours = wholeNumber(168)(text);
  return hours === undefined || hours === 0 ? undefined : hours * hourMs;
};

function passphraseText(text: string): string | undefined {
  return text.length >= minPassphraseLength ? text : undefined;
}

const positiveNumber =
  (max: number) =>
  (text: string): number | undefined =>
    wholeNumber(max)(text) || undefined;

const concurrency = positiveNumber(64);

/** Comma-separated, all of them acceptable. */
const list =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string): T[] | undefined => {
    const values: T[] = [];
    for (const part of text.split(',')) {
      const value = parse(part.trim());
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  };

const visible = (text: string): string | undefined =>
  /^[\x21-\x7e]{16,}$/.test(text) && measureVariety(text) >= 16 ? text : undefined;

function postgresUrl(text: string): string | undefined {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined;
}

function path(text: string): string | undefined {
  return text.includes('\0') ? undefined : text;
}

/** A bucket's name can't have capitals, so a URL's host keeps it. */
function filesUrl(text: string): { folder: string } | { bucket: string; prefix: string } | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.port !== '') return undefined;
  if (url.protocol === 'file:') return url.host === '' ? { folder: fileURLToPath(url) } : undefined;
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '');
  const isS3 = url.protocol === 's3:' && /^[a-z0-9][a-z0-9.-]{2,62}$/.test(url.host) && /^[\w./-]*$/.test(prefix);
  return isS3 ? { bucket: url.host, prefix } : undefined;
}

function identifier(text: string): string | undefined {
  return /^[\w.-]{1,128}$/.test(text) ? text : undefined;
}

function secretText(text: string): string | undefined {
  return /^[\x21-\x7e]{1,256}$/.test(text) ? text : undefined;
}

function host(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined;
}

function httpUrl(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

function publicUrl(text: string): string | undefined {
  const url = httpUrl(text);
  if (!url || url.username !== '' || url.password !== '' || text.includes('?') || text.includes('#')) return undefined;
  return url.href.replace(/\/+$/, '');
}

/** Kept as it is, because a slash at its end may matter. */
function authorityUrl(text: string): string | undefined {
  const url = httpUrl(text);
  return !url || url.username !== '' || url.password !== '' || text.includes('#') ? undefined : url.href;
}

function origin(text: string): string | undefined {
  // Browsers send exactly the URL's origin: without a path, without a default port, in lower case.
  return httpUrl(text)?.origin === text ? text : undefined;
}

/** Seconds to milliseconds. */
function seconds(text: string): number | undefined {
  return /^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1_000_000 ? Math.round(Number(text) * 1000) : undefined;
}

function drain(text: string): number | undefined {
  const ms = seconds(text);
  return ms !== undefined && ms <= 300_000 ? ms : undefined;
}

function keepAlive(text: string): number | undefined {
  const ms = seconds(text);
  return ms !== undefined && ms >= 1000 && ms <= 3_600_000 ? ms : undefined;
}

function retryDelays(text: string): number[] | undefined {
  const delays = list(seconds)(text);
  return delays && delays.length <= 5 ? delays : undefined;
}

function timeout(text: string): number | undefined {
  const ms = seconds(text);
  if (ms === undefined || ms > 3_600_000 || Number(text) === 0) return undefined;
  return Math.max(ms, 1); // 0 would mean "none" to some timers
}

/** The default of PUBLIC_URL, from host and port. */
export const formatAddress = (name: string, port: number): string =>
  `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
