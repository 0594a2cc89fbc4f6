import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isStrongSecret, measureVariety } from './secret-strength.ts';

// The types of settings. A setting of a new kind needs a type here; its name and its default stand in config.ts.

export interface SettingType<Value> {
  /** The texts that are accepted, in words: `a whole number from 1 to 64`. */
  accepted: string;
  /** @returns undefined for a text that isn't accepted */
  parse: (text: string) => Value | undefined;
  /** Whether its text may be in a file, and is never shown. */
  isSecret?: boolean;
}

/** The shortest passphrase of a backup: a shorter one could be guessed, despite the cost of scrypt. */
export const minPassphraseLength = 12;

/**
 * @param unit in the plural: `hours`
 * @param zero what 0 means: `off`
 */
export const wholeNumber = (
  min: number,
  max: number,
  { unit, zero }: { unit?: string; zero?: string } = {},
): SettingType<number> => ({
  accepted: `a whole number ${unit === undefined ? '' : `of ${unit} `}from ${min}${zero === undefined ? '' : ` (${zero})`} to ${max}`,
  parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
});

const parseSeconds = (text: string): number | undefined =>
  /^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1_000_000 ? Math.round(Number(text) * 1000) : undefined;

/** A duration in seconds, such as `0.5`; its value is in milliseconds. */
const duration = (accepted: string, minMs: number, maxMs: number): SettingType<number> => ({
  accepted,
  parse: (text) => {
    const ms = parseSeconds(text);
    return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined;
  },
});

export const drainTime = duration('a number of seconds, at most 300', 0, 300_000);
export const keepAliveTime = duration('a number of seconds from 1 to 3600', 1000, 3_600_000);

export const timeout: SettingType<number> = {
  accepted: 'a number of seconds above 0, at most 3600',
  parse: (text) => {
    const ms = parseSeconds(text);
    if (ms === undefined || ms > 3_600_000 || Number(text) === 0) return undefined;
    return Math.max(ms, 1); // 0 would mean "none" to some timers
  },
};

/** Comma-separated, all of them acceptable. */
function parseList<Value>(text: string, parse: (part: string) => Value | undefined): Value[] | undefined {
  const values: Value[] = [];
  for (const part of text.split(',')) {
    const value = parse(part.trim());
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Their values are in milliseconds. */
export const retryDelays: SettingType<number[]> = {
  accepted: 'at most 5 numbers of seconds from 0 to 1000000, comma-separated',
  parse: (text) => {
    const delays = parseList(text, parseSeconds);
    return delays && delays.length <= 5 ? delays : undefined;
  },
};

const switches = new Map([
  ['0', false],
  ['1', true],
  ['true', true],
  ['false', false],
]);

export const onOrOff: SettingType<boolean> = {
  accepted: '0, 1, true or false',
  parse: (text) => switches.get(text),
};

export const oneOf = <Value extends string>(values: readonly Value[]): SettingType<Value> => ({
  accepted: values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or '),
  parse: (text) => values.find((value) => value === text),
});

export const path: SettingType<string> = {
  accepted: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : text),
};

export const host: SettingType<string> = {
  accepted: 'an IP address or a host name',
  parse: (text) => (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined),
};

const parseHttpUrl = (text: string): URL | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;

export const httpUrl: SettingType<URL> = { accepted: 'an http:// or https:// URL', parse: parseHttpUrl };

/** Without a slash at its end. */
export const publicUrl: SettingType<string> = {
  accepted: 'an http:// or https:// URL without credentials, query or fragment',
  parse: (text) => {
    const url = parseHttpUrl(text);
    if (!url || url.username !== '' || url.password !== '' || text.includes('?') || text.includes('#'))
      return undefined;
    return url.href.replace(/\/+$/, '');
  },
};

/** Kept as it is, because a slash at its end may matter. */
export const authorityUrl: SettingType<string> = {
  accepted: 'an http:// or https:// URL without credentials or fragment',
  parse: (text) => {
    const url = parseHttpUrl(text);
    return !url || url.username !== '' || url.password !== '' || text.includes('#') ? undefined : url.href;
  },
};

/** Browsers send exactly the URL's origin: without a path, without a default port, in lower case. */
export const origins: SettingType<string[]> = {
  accepted: 'origins as browsers send them, scheme://host[:port], lower case, comma-separated',
  parse: (text) => parseList(text, (origin) => (parseHttpUrl(origin)?.origin === origin ? origin : undefined)),
};

/** It has the role's password. */
export const postgresUrl: SettingType<string> = {
  accepted: 'a postgres:// or postgresql:// URL',
  parse: (text) => (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
  isSecret: true,
};

/** A bucket's name can't have capitals, so a URL's host keeps it. */
export const filesUrl: SettingType<{ folder: string } | { bucket: string; prefix: string }> = {
  accepted: 's3://BUCKET, s3://BUCKET/PREFIX, or file:///FOLDER',
  parse: (text) => {
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    if (url.search !== '' || url.hash !== '' || url.username !== '' || url.port !== '') return undefined;
    if (url.protocol === 'file:') return url.host === '' ? { folder: fileURLToPath(url) } : undefined;
    const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '');
    const isS3 = url.protocol === 's3:' && /^[a-z0-9][a-z0-9.-]{2,62}$/.test(url.host) && /^[\w./-]*$/.test(prefix);
    return isS3 ? { bucket: url.host, prefix } : undefined;
  },
};

/** @param accepted `the id of an access key` */
export const identifier = (accepted: string): SettingType<string> => ({
  accepted,
  parse: (text) => (/^[\w.-]{1,128}$/.test(text) ? text : undefined),
});

export const accessKeySecret: SettingType<string> = {
  accepted: 'the secret of an access key',
  parse: (text) => (/^[\x21-\x7e]{1,256}$/.test(text) ? text : undefined),
  isSecret: true,
};

export const strongSecret: SettingType<string> = {
  accepted: 'at least 32 random characters, such as `openssl rand -base64 32` prints',
  parse: (text) => (isStrongSecret(text) ? text : undefined),
  isSecret: true,
};

export const signingKey: SettingType<string> = {
  accepted: '32 random bytes in Base64, such as `openssl rand -base64 32` prints',
  parse: (text) => (/^[A-Za-z0-9+/]{43}=$/.test(text) && isStrongSecret(text) ? text : undefined),
  isSecret: true,
};

/** For an HTTP header. */
export const bearerToken: SettingType<string> = {
  accepted: 'at least 16 visible characters, at random',
  parse: (text) => (/^[\x21-\x7e]{16,}$/.test(text) && measureVariety(text) >= 16 ? text : undefined),
  isSecret: true,
};

export const passphrase: SettingType<string> = {
  accepted: `at least ${minPassphraseLength} characters`,
  parse: (text) => (text.length >= minPassphraseLength ? text : undefined),
  isSecret: true,
};
