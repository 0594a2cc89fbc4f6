import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { readOrCreateSecret } from '../src/security/secret-file.ts';

const secret = 'a secret of thirty-two characters';
const anchorKey = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const databaseUrl = 'postgres://kontor:hunter2@db.example:5432/kontor';

function messageOf(env: NodeJS.ProcessEnv): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error(`${JSON.stringify(env)} was accepted`);
}

describe('the environment', () => {
  it('can be empty: an embedded database, on loopback, 60 requests a minute', () => {
    expect(readConfig({})).toEqual({
      databaseUrl: null,
      databaseDirectUrl: null,
      databaseBooksUrl: null,
      databaseBooksDirectUrl: null,
      databaseConnections: 10,
      databaseBooksConnections: 20,
      dataDir: resolve('.data'),
      backups: null,
      host: '127.0.0.1',
      port: 4000,
      webConcurrency: 1,
      drainMs: 0,
      keepAliveMs: 75_000,
      publicUrl: null,
      trustedProxies: 0,
      connectionsPerAddress: null,
      maxResponseBytes: 10_000_000,
      rateLimitPerMinute: 60,
      rateLimitMaxPerMinute: 600,
      rateLimitStore: null,
      secret: null,
      previousSecret: null,
      logLevel: 'info',
      metricsPort: null,
      healthPort: null,
      slowQueryMs: 1000,
      metricsHost: '127.0.0.1',
      metricsToken: null,
      traces: false,
      corsOrigins: [],
      graphqlIntrospection: true,
      sessionTrustedDocuments: false,
      webhookAllowInsecure: false,
      webhookRetryDelaysMs: [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000],
      webhookTimeoutMs: 10_000,
      auditLogYears: 10,
      eventDays: 90,
      exportDays: 7,
      files: { folder: resolve('.data/files') },
      filesQuota: 10 * 2 ** 30,
      anchorKey: null,
      timestampUrl: null,
    });
  });

  it('sets everything', () => {
    expect(
      readConfig({
        DATABASE_URL: databaseUrl,
        DATABASE_DIRECT_URL: 'postgres://kontor:hunter2@direct.example/kontor',
        DATABASE_BOOKS_URL: 'postgres://kontor_books:hunter3@db.example/kontor',
        DATA_DIR: '/var/lib/kontor',
        HOST: '::',
        PORT: '0',
        WEB_CONCURRENCY: '4',
        PUBLIC_URL: 'https://books.example/kontor',
        TRUSTED_PROXIES: '2',
        CONNECTIONS_PER_ADDRESS: '200',
        MAX_RESPONSE_BYTES: '2000000',
        RATE_LIMIT_PER_MINUTE: '0',
        RATE_LIMIT_MAX_PER_MINUTE: '5000',
        RATE_LIMIT_STORE: 'postgres',
        KONTOR_SECRET: secret,
        KONTOR_SECRET_PREVIOUS: 'the secret that was before this one',
        LOG_LEVEL: 'silent',
        METRICS_PORT: '9464',
        HEALTH_PORT: '4001',
        SLOW_QUERY_MS: '250',
        METRICS_HOST: '::',
        METRICS_TOKEN: 'sixteen-or-more!',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
        CORS_ORIGINS: 'https://app.example, http://localhost:5173',
        GRAPHQL_INTROSPECTION: '0',
        SESSION_TRUSTED_DOCUMENTS: '1',
        WEBHOOK_ALLOW_INSECURE: 'true',
        WEBHOOK_RETRY_DELAYS: '0.25, 1,.5',
        WEBHOOK_TIMEOUT: '2.5',
        AUDIT_LOG_YEARS: '7',
        EVENT_DAYS: '400',
        EXPORT_DAYS: '30',
        FILES_URL: 's3://books/of/kontor/',
        FILES_ENDPOINT: 'https://s3.example/',
        FILES_REGION: 'eu-central-1',
        FILES_QUOTA: '2',
        FILES_KEY_ID: 'AKIAEXAMPLE',
        FILES_SECRET_KEY: 'hunter4/+=',
        ANCHOR_KEY: anchorKey,
        TIMESTAMP_URL: 'http://tsa.example/tsr/?policy=1',
        DRAIN_SECONDS: '1.5',
        KEEP_ALIVE_SECONDS: '620',
        DATABASE_BOOKS_DIRECT_URL: 'postgres://kontor_books:hunter3@direct.example/kontor',
        DATABASE_CONNECTIONS: '7',
        DATABASE_BOOKS_CONNECTIONS: '14',
      }),
    ).toEqual({
      databaseUrl,
      databaseDirectUrl: 'postgres://kontor:hunter2@direct.example/kontor',
      databaseBooksUrl: 'postgres://kontor_books:hunter3@db.example/kontor',
      databaseBooksDirectUrl: 'postgres://kontor_books:hunter3@direct.example/kontor',
      databaseConnections: 7,
      databaseBooksConnections: 14,
      dataDir: '/var/lib/kontor',
      backups: null,
      host: '::',
      port: 0,
      webConcurrency: 4,
      drainMs: 1500,
      keepAliveMs: 620_000,
      publicUrl: 'https://books.example/kontor',
      trustedProxies: 2,
      connectionsPerAddress: 200,
      maxResponseBytes: 2_000_000,
      rateLimitPerMinute: 0,
      rateLimitMaxPerMinute: 5000,
      rateLimitStore: 'postgres',
      secret,
      previousSecret: 'the secret that was before this one',
      logLevel: 'silent',
      metricsPort: 9464,
      healthPort: 4001,
      slowQueryMs: 250,
      metricsHost: '::',
      metricsToken: 'sixteen-or-more!',
      traces: true,
      corsOrigins: ['https://app.example', 'http://localhost:5173'],
      graphqlIntrospection: false,
      sessionTrustedDocuments: true,
      webhookAllowInsecure: true,
      webhookRetryDelaysMs: [250, 1000, 500],
      webhookTimeoutMs: 2500,
      auditLogYears: 7,
      eventDays: 400,
      exportDays: 30,
      files: {
        bucket: 'books',
        prefix: 'of/kontor',
        endpoint: 'https://s3.example',
        region: 'eu-central-1',
        credentials: { keyId: 'AKIAEXAMPLE', secretKey: 'hunter4/+=' },
      },
      filesQuota: 2 * 2 ** 30,
      anchorKey,
      timestampUrl: 'http://tsa.example/tsr/?policy=1',
    });
  });

  it('treats empty variables as unset', () => {
    const names = [
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'DATABASE_BOOKS_URL',
      'DATA_DIR',
      'HOST',
      'PORT',
      'WEB_CONCURRENCY',
      'DRAIN_SECONDS',
      'KEEP_ALIVE_SECONDS',
      'PUBLIC_URL',
      'TRUSTED_PROXIES',
      'CONNECTIONS_PER_ADDRESS',
      'MAX_RESPONSE_BYTES',
      'RATE_LIMIT_PER_MINUTE',
      'RATE_LIMIT_MAX_PER_MINUTE',
      'RATE_LIMIT_STORE',
      'KONTOR_SECRET',
      'KONTOR_SECRET_PREVIOUS',
      'KONTOR_SECRET_FILE',
      'LOG_LEVEL',
      'METRICS_PORT',
      'HEALTH_PORT',
      'SLOW_QUERY_MS',
      'METRICS_HOST',
      'METRICS_TOKEN',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'CORS_ORIGINS',
      'WEBHOOK_ALLOW_INSECURE',
      'WEBHOOK_RETRY_DELAYS',
      'WEBHOOK_TIMEOUT',
      'AUDIT_LOG_YEARS',
      'EVENT_DAYS',
      'EXPORT_DAYS',
      'ANCHOR_KEY',
      'TIMESTAMP_URL',
    ];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}));
  });

  it('accepts 0, 1, true, and false for switches', () => {
    const switched = ['0', '1', 'true', 'false'].map(
      (value) => readConfig({ WEBHOOK_ALLOW_INSECURE: value }).webhookAllowInsecure,
    );
    expect(switched).toEqual([false, true, true, false]);
  });

  it('drops the slash at the end of PUBLIC_URL', () => {
    expect(readConfig({ PUBLIC_URL: 'http://books.example:8080/' }).publicUrl).toBe('http://books.example:8080');
    expect(readConfig({ PUBLIC_URL: 'https://books.example/kontor/' }).publicUrl).toBe('https://books.example/kontor');
  });

  it('never rounds a timeout down to zero', () => {
    expect(readConfig({ WEBHOOK_TIMEOUT: '0.0001' }).webhookTimeoutMs).toBe(1);
  });

  it.each([
    ['DATA_DIR', 'a\0b', 'a path'],
    ['HOST', 'http://localhost', 'an IP address or a host name'],
    ['HOST', 'localhost:4000', 'an IP address or a host name'],
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['PORT', '4e3', 'a whole number from 0 to 65535'],
    ['PORT', ' 4000', 'a whole number from 0 to 65535'],
    ['WEB_CONCURRENCY', '0', 'a whole number from 1 to 64'],
    ['KEEP_ALIVE_SECONDS', '0', 'a number of seconds from 1 to 3600'],
    ['KEEP_ALIVE_SECONDS', '3601', 'a number of seconds from 1 to 3600'],
    ['PUBLIC_URL', 'books.example', 'an http:// or https:// URL without credentials, query or fragment'],
    ['PUBLIC_URL', 'https:books.example', 'an http:// or https:// URL without credentials, query or fragment'],
    ['PUBLIC_URL', 'https://books.example/?', 'an http:// or https:// URL without credentials, query or fragment'],
    ['PUBLIC_URL', 'ftp://books.example', 'an http:// or https:// URL without credentials, query or fragment'],
    ['RATE_LIMIT_PER_MINUTE', '1.5', 'a whole number from 0 (off) to 100000'],
    ['RATE_LIMIT_MAX_PER_MINUTE', '0', 'a whole number from 1 to 100000'],
    ['RATE_LIMIT_PER_MINUTE', 'off', 'a whole number from 0 (off) to 100000'],
    ['RATE_LIMIT_STORE', 'redis', 'memory or postgres'],
    ['METRICS_PORT', '65536', 'a whole number from 0 to 65535'],
    ['SLOW_QUERY_MS', '60001', 'a whole number of milliseconds from 0 (off) to 60000'],
    ['LOG_LEVEL', 'verbose', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['CORS_ORIGINS', '*', 'origins as browsers send them, scheme://host[:port], lower case, comma-separated'],
    [
      'CORS_ORIGINS',
      'https://app.example/',
      'origins as browsers send them, scheme://host[:port], lower case, comma-separated',
    ],
    [
      'CORS_ORIGINS',
      'https://app.example,https://APP.example',
      'origins as browsers send them, scheme://host[:port], lower case, comma-separated',
    ],
    [
      'CORS_ORIGINS',
      'https://app.example:443',
      'origins as browsers send them, scheme://host[:port], lower case, comma-separated',
    ],
    ['CORS_ORIGINS', 'null', 'origins as browsers send them, scheme://host[:port], lower case, comma-separated'],
    ['WEBHOOK_ALLOW_INSECURE', 'yes', '0, 1, true or false'],
    ['WEBHOOK_RETRY_DELAYS', '1,2,3,4,5,6', 'at most 5 numbers of seconds from 0 to 1000000, comma-separated'],
    ['WEBHOOK_RETRY_DELAYS', '10s', 'at most 5 numbers of seconds from 0 to 1000000, comma-separated'],
    ['WEBHOOK_RETRY_DELAYS', '1,,2', 'at most 5 numbers of seconds from 0 to 1000000, comma-separated'],
    ['WEBHOOK_RETRY_DELAYS', '-1', 'at most 5 numbers of seconds from 0 to 1000000, comma-separated'],
    ['FILES_QUOTA', '0', 'a whole number of GiB from 1 to 100000'],
    ['TIMESTAMP_URL', 'ftp://tsa.example', 'an http:// or https:// URL without credentials or fragment'],
    ['TIMESTAMP_URL', 'https://me:hunter2@tsa.example', 'an http:// or https:// URL without credentials or fragment'],
    ['TIMESTAMP_URL', 'https://tsa.example/#tsr', 'an http:// or https:// URL without credentials or fragment'],
    ['AUDIT_LOG_YEARS', '6', 'a whole number from 7 to 100'],
    ['EVENT_DAYS', '89', 'a whole number from 90 to 3650'],
    ['EVENT_DAYS', '3651', 'a whole number from 90 to 3650'],
    ['EXPORT_DAYS', '0', 'a whole number from 1 to 365'],
    ['FILES_URL', 'https://s3.example/books', 's3://BUCKET, s3://BUCKET/PREFIX, or file:///FOLDER'],
    ['FILES_URL', 's3://id:secret@books', 's3://BUCKET, s3://BUCKET/PREFIX, or file:///FOLDER'],
    ['FILES_URL', 'file://host/files', 's3://BUCKET, s3://BUCKET/PREFIX, or file:///FOLDER'],
    ['WEBHOOK_TIMEOUT', '0', 'a number of seconds above 0, at most 3600'],
    ['WEBHOOK_TIMEOUT', '3601', 'a number of seconds above 0, at most 3600'],
  ])('%s=%j is rejected with one line that names the accepted values', (name, value, accepted) => {
    expect(messageOf({ [name]: value })).toBe(
      `${name}=${JSON.stringify(value)} is not accepted: it must be ${accepted}`,
    );
  });

  it('reports any value in one line', () => {
    expect(messageOf({ LOG_LEVEL: 'info\nwarn' })).toContain('LOG_LEVEL="info\\nwarn" ');
  });

  it('never prints a secret', () => {
    expect(messageOf({ KONTOR_SECRET: 'too short to be one' })).toBe(
      'KONTOR_SECRET is not accepted: it must be at least 32 random characters, such as `openssl rand -base64 32` prints',
    );
    expect(messageOf({ METRICS_TOKEN: 'too short' })).toBe(
      'METRICS_TOKEN is not accepted: it must be at least 16 visible characters, at random',
    );
    expect(messageOf({ DATABASE_URL: databaseUrl.replace('postgres:', 'mysql:'), KONTOR_SECRET: secret })).toBe(
      'DATABASE_URL is not accepted: it must be a postgres:// or postgresql:// URL',
    );
  });

  it.each([
    'x'.repeat(32),
    '0'.repeat(64),
    'ab'.repeat(16),
    'changeme'.repeat(4),
    'correct horse '.repeat(3),
    'secretsecretsecretsecretsecretsec',
    'abcdefghijklmnopqrstuvwxyz012345',
    '0123456789abcdef0123456789abcdef',
    'zyxwvutsrqponmlkjihgfedcba987654',
    `${'a'.repeat(31)}b`,
    `${'x'.repeat(28)}Kq7!`,
    'too short to be one',
  ])('rejects a secret that is not random: %s', (text) => {
    expect(messageOf({ KONTOR_SECRET: text })).toMatch(/^KONTOR_SECRET is not accepted: it must be at least 32 random/);
  });

  it('accepts a random secret of any alphabet', () => {
    const alphabets = ['0123456789', '0123456789abcdef', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'];
    for (let round = 0; round < 5000; round++) {
      const secrets = alphabets.map((alphabet) =>
        Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]),
      );
      const all = [...secrets.map((each) => each.join('')), randomBytes(32).toString('base64'), randomUUID()];
      for (const each of all) expect(readConfig({ KONTOR_SECRET: each }).secret).toBe(each);
      const token = randomBytes(8).toString('hex');
      expect(readConfig({ METRICS_TOKEN: token }).metricsToken).toBe(token);
    }
  });

  it.each(['x'.repeat(16), 'ab'.repeat(8), 'abcdefghijklmnop', '1111111111111112'])(
    'refuses a METRICS_TOKEN that is not random: %s',
    (text) => {
      expect(messageOf({ METRICS_TOKEN: text })).toMatch(/^METRICS_TOKEN is not accepted/);
    },
  );

  it('takes backups by schedule for the embedded database only, and only with a passphrase', () => {
    const backups = { BACKUP_FOLDER: '/backups', KONTOR_BACKUP_PASSPHRASE: 'correct horse' };
    expect(readConfig({ ...backups, BACKUP_EVERY: '6', BACKUP_KEEP: '28' }).backups).toEqual({
      folder: '/backups',
      everyMs: 6 * 3_600_000,
      keep: 28,
      passphrase: 'correct horse',
    });
    expect(messageOf({ ...backups, DATABASE_URL: databaseUrl, KONTOR_SECRET: secret })).toBe(
      'BACKUP_FOLDER is accepted only without DATABASE_URL: it is for the embedded database',
    );
    expect(messageOf({ BACKUP_FOLDER: '/backups' })).toBe(
      'KONTOR_BACKUP_PASSPHRASE is missing: with BACKUP_FOLDER it is required',
    );
    expect(messageOf({ ...backups, KONTOR_BACKUP_PASSPHRASE: 'too short' })).toBe(
      'KONTOR_BACKUP_PASSPHRASE is not accepted: it must be at least 12 characters',
    );
    expect(messageOf({ BACKUP_KEEP: '3' })).toBe('BACKUP_EVERY and BACKUP_KEEP are accepted only with BACKUP_FOLDER');
  });

  it('rejects a rate limit in memory with several processes', () => {
    expect(messageOf({ WEB_CONCURRENCY: '2', RATE_LIMIT_STORE: 'memory' })).toBe(
      'RATE_LIMIT_STORE=memory is not accepted with WEB_CONCURRENCY above 1: each process would count separately',
    );
    expect(readConfig({ WEB_CONCURRENCY: '1', RATE_LIMIT_STORE: 'memory' }).rateLimitStore).toBe('memory');
  });

  it('lets tokens have ten times the usual limit by default, and never a highest that is lower than the usual', () => {
    const highest = (env: Record<string, string>): number => readConfig(env).rateLimitMaxPerMinute;
    expect(highest({ RATE_LIMIT_PER_MINUTE: '7' })).toBe(70);
    expect(highest({ RATE_LIMIT_PER_MINUTE: '50000' })).toBe(100_000);
    expect(highest({ RATE_LIMIT_PER_MINUTE: '0' })).toBe(100_000);
    expect(highest({ RATE_LIMIT_PER_MINUTE: '7', RATE_LIMIT_MAX_PER_MINUTE: '7' })).toBe(7);
    expect(messageOf({ RATE_LIMIT_MAX_PER_MINUTE: '59' })).toBe(
      'RATE_LIMIT_MAX_PER_MINUTE is not accepted: it must not be lower than RATE_LIMIT_PER_MINUTE',
    );
  });

  it('accepts a folder of files, and what S3 needs only with a bucket', () => {
    expect(readConfig({ FILES_URL: 'file:///srv/files' }).files).toEqual({ folder: '/srv/files' });
    expect(readConfig({ FILES_URL: 's3://books' }).files).toMatchObject({ prefix: '', region: 'us-east-1' });
    expect(messageOf({ FILES_REGION: 'eu-central-1' })).toBe(
      'FILES_ENDPOINT, FILES_REGION, and FILES_KEY_ID are accepted only with a FILES_URL of s3://BUCKET',
    );
    expect(messageOf({ FILES_URL: 's3://books', FILES_SECRET_KEY: 'hunter4' })).toBe(
      'FILES_KEY_ID and FILES_SECRET_KEY are accepted only together',
    );
    expect(messageOf({ FILES_URL: 's3://books', FILES_SECRET_KEY: 'hunter 4' })).toBe(
      'FILES_SECRET_KEY is not accepted: it must be the secret of an access key',
    );
  });

  it('accepts DATABASE_BOOKS_URL only with DATABASE_URL', () => {
    expect(messageOf({ DATABASE_BOOKS_URL: databaseUrl })).toBe(
      'DATABASE_BOOKS_URL is accepted only with DATABASE_URL',
    );
  });

  it('accepts DATABASE_DIRECT_URL only with DATABASE_URL', () => {
    expect(messageOf({ DATABASE_DIRECT_URL: databaseUrl })).toBe(
      'DATABASE_DIRECT_URL is accepted only with DATABASE_URL, which then names a pooler',
    );
  });

  it("requires KONTOR_SECRET with an operator's own database", () => {
    expect(messageOf({ DATABASE_URL: databaseUrl })).toBe(
      'KONTOR_SECRET is missing: with DATABASE_URL it is required, at least 32 random characters, the same for all processes',
    );
  });
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (content: string | Uint8Array, mode = 0o600): string => {
    const file = join(folder, randomUUID());
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  };

  it.each([
    ['DATABASE_URL', databaseUrl, 'databaseUrl'],
    ['DATABASE_DIRECT_URL', databaseUrl, 'databaseDirectUrl'],
    ['DATABASE_BOOKS_URL', databaseUrl, 'databaseBooksUrl'],
    ['DATABASE_BOOKS_DIRECT_URL', databaseUrl, 'databaseBooksDirectUrl'],
    ['KONTOR_SECRET', secret, 'secret'],
    ['KONTOR_SECRET_PREVIOUS', secret, 'previousSecret'],
    ['METRICS_TOKEN', 'hFpq81LxKv02TnZs', 'metricsToken'],
    ['ANCHOR_KEY', anchorKey, 'anchorKey'],
  ] as const)('%s_FILE is read without the line break at its end', (name, text, setting) => {
    const others = { DATABASE_URL: databaseUrl, DATABASE_BOOKS_URL: databaseUrl, KONTOR_SECRET: secret };
    const read = (ending: string) =>
      readConfig({ ...others, [name]: undefined, [`${name}_FILE`]: write(`${text}${ending}`) })[setting];
    expect(['', '\n', '\r\n'].map(read)).toEqual([text, text, text]);
  });

  it('FILES_SECRET_KEY_FILE gives the secret of the access key', () => {
    const { files } = readConfig({
      FILES_URL: 's3://books',
      FILES_KEY_ID: 'AK',
      FILES_SECRET_KEY_FILE: write('xyz\n'),
    });
    expect(files).toMatchObject({ credentials: { keyId: 'AK', secretKey: 'xyz' } });
  });

  it('is refused beside the variable itself, and checked like it, without being printed', () => {
    expect(messageOf({ KONTOR_SECRET: secret, KONTOR_SECRET_FILE: write(secret) })).toBe(
      'KONTOR_SECRET and KONTOR_SECRET_FILE are both set: unset one of them',
    );
    expect(messageOf({ KONTOR_SECRET_FILE: write(`${secret}\n\n`.slice(4, 20)) })).toBe(
      'The content of KONTOR_SECRET_FILE is not accepted: it must be at least 32 random characters, such as `openssl rand -base64 32` prints',
    );
  });

  it('is refused in one line if it cannot be read at once', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const cases: [file: string, problem: string][] = [
      [join(folder, 'missing\n'), "it can't be read (ENOENT)"],
      [pipe, 'it must be a file'],
      [folder, 'it must be a file'],
      ['/dev/zero', 'it must be a file'],
      [write(Buffer.alloc(8193, 'x')), 'it must have at most 8192 bytes'],
      [write('\n'), 'it is empty'],
      [write(secret, 0o602), 'every user of the machine can write to it: chmod o-w'],
      ['a\0b', 'it must be a path'],
    ];
    for (const [file, problem] of cases)
      expect(messageOf({ KONTOR_SECRET_FILE: file })).toBe(
        `KONTOR_SECRET_FILE=${JSON.stringify(file)} is not accepted: ${problem}`,
      );
  });
});

describe('the secret file', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'kontor-config-'));
    folders.push(made);
    return join(made, 'data');
  };

  afterEach(() => {
    for (const made of folders.splice(0)) rmSync(made, { recursive: true });
  });

  it('has 32 random bytes in base64, is readable by its owner only, and doesn’t change', async () => {
    const dir = folder();
    const kept = await readOrCreateSecret(dir);
    expect(Buffer.from(kept, 'base64').toString('base64')).toBe(kept);
    expect(Buffer.from(kept, 'base64')).toHaveLength(32);
    expect(statSync(join(dir, 'secret')).mode & 0o777).toBe(0o600);
    expect(await readOrCreateSecret(dir)).toBe(kept);
    expect(await readOrCreateSecret(folder())).not.toBe(kept);
  });

  it('is the same for all concurrent starts, which leave no other file', async () => {
    const dir = folder();
    const secrets = await Promise.all(Array.from({ length: 50 }, () => readOrCreateSecret(dir)));
    expect(new Set(secrets).size).toBe(1);
    expect(readdirSync(dir)).toEqual(['secret']);
  });

  it.each(['c2hvcnQ=\n', '\0'.repeat(45), `${'A'.repeat(43)}=\n`])(
    'is not replaced when it is damaged: %j',
    async (text) => {
      const dir = folder();
      mkdirSync(dir);
      writeFileSync(join(dir, 'secret'), text);
      await expect(readOrCreateSecret(dir)).rejects.toThrow(
        `${dir}/secret is damaged: put the secret back that was there, or set KONTOR_SECRET`,
      );
      expect(readFileSync(join(dir, 'secret'), 'utf8')).toBe(text);
    },
  );

  it('is not replaced when it can’t be read', async () => {
    const dir = folder();
    mkdirSync(join(dir, 'secret'), { recursive: true });
    await expect(readOrCreateSecret(dir)).rejects.toThrow('EISDIR');
  });
});
