import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { parseJson } from '../../../rest-shim/exact-json.ts';
import { version } from '../../../schema/version.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printError } from '../output.ts';
import { currentProfile, findProfile } from './profiles.ts';

// Requests of the command line to an installation, by HTTP with a token.

const defaultUrl = 'http://127.0.0.1:4000';

/** An installation, and the token that is sent to it. */
export interface ApiConnection {
  /** Without a trailing slash. */
  url: string;
  token: string;
}

export interface ConnectionOptions {
  url?: string;
  token?: string;
  profile?: string;
}

/** Adds `--url`, `--token`, and `--profile`. All are accepted before and after the command's name. */
export const withConnection = (command: Command): Command =>
  command
    .addOption(new Option('--url <url>', `address of the installation; or KONTOR_URL. Default: ${defaultUrl}`))
    .addOption(
      new Option('--token <token>', 'API token; better KONTOR_TOKEN, because other users of the machine see options'),
    )
    .addOption(new Option('--profile <name>', 'one that `kontor login` made; or KONTOR_PROFILE'));

/** The options that are given to a command or, before its name, to its program. */
export function connectionOptions(command: Command): ConnectionOptions {
  const own: ConnectionOptions = command.opts();
  const ofProgram: ConnectionOptions = findRoot(command).opts();
  return {
    url: own.url ?? ofProgram.url,
    token: own.token ?? ofProgram.token,
    profile: own.profile ?? ofProgram.profile,
  };
}

/**
 * Reads the connection from a command's options, its program's options, the environment, and the current profile, in this
 * order. A profile's token is sent to the profile's address only.
 * @throws CommandFailure which never contains the token
 */
export function buildConnection(command: Command, env: NodeJS.ProcessEnv = process.env): ApiConnection {
  const given = connectionOptions(command);
  const chosen = given.profile === undefined ? undefined : findProfile(given.profile, env);
  const ownToken = given.token ?? (chosen ? undefined : env['KONTOR_TOKEN'] || undefined);
  const profile = chosen ?? (ownToken === undefined ? currentProfile(env) : undefined);
  const address = given.url ?? (chosen ? chosen.url : env['KONTOR_URL'] || profile?.url);
  const url = parseAddress(address ?? defaultUrl);
  if (ownToken !== undefined) return { url, token: parseToken(ownToken) };
  if (!profile)
    throw new CommandFailure(
      exitCodes.denied,
      'An API token is needed: set KONTOR_TOKEN, use --token, or run kontor login.',
    );
  if (url !== profile.url)
    throw new CommandFailure(
      exitCodes.usage,
      `The token of the profile "${profile.name}" is for ${profile.url} only. Use --token for ${url}, or kontor login.`,
    );
  return { url, token: parseToken(profile.token) };
}

/** The address that a login is to. */
export const resolveAddress = ({ url }: ConnectionOptions, env: NodeJS.ProcessEnv = process.env): string =>
  parseAddress(url ?? (env['KONTOR_URL'] || defaultUrl));

/** @throws CommandFailure which never contains the token */
export function parseToken(text: string): string {
  const token = text.trim();
  if (token === '') throw new CommandFailure(exitCodes.denied, 'The API token is empty.');
  // A header can't have other characters, and its error message would show the token.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CommandFailure(exitCodes.usage, 'The API token has characters that a token never has.');
  return token;
}

/**
 * Whether a command is to work over HTTP: by its options, or by the environment. An address is enough: if a CI's secret
 * is missing or empty, the command must not work on a database of this machine, which it would make.
 */
export function isRemote(command: Command, env: NodeJS.ProcessEnv = process.env): boolean {
  const { url, token, profile } = connectionOptions(command);
  const isNamed = [url, token, profile].some((option) => option !== undefined);
  return isNamed || ['KONTOR_TOKEN', 'KONTOR_URL', 'KONTOR_PROFILE'].some((name) => env[name]);
}

const findRoot = (command: Command): Command => (command.parent ? findRoot(command.parent) : command);

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandFailure(exitCodes.usage, 'The address of the installation must be an http:// or https:// URL.');
  // fetch() refuses such a URL, and would print it.
  if (url.username !== '' || url.password !== '')
    throw new CommandFailure(exitCodes.usage, 'The address of the installation must not contain a user or password.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

export interface ApiRequest {
  method: string;
  /** Below the installation's address, with its query: `/api/v1/customers?type=supplier`. */
  path: string;
  /** JSON text, or what opens a long body anew for each attempt. */
  body?: string | (() => ReadableStream) | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export interface ApiResponse {
  status: number;
  /** Parsed; each number keeps its text (JsonNumber). Undefined without a JSON body. */
  body: unknown;
  bytes: Buffer;
  headers: Headers;
}

const responseTimeoutMs = 60_000;

/**
 * Sends a request. If it is answered 429, it waits as long as the service says, and sends it again.
 * @throws CommandFailure if there is no response
 */
export const send = async (connection: ApiConnection, request: ApiRequest): Promise<ApiResponse> =>
  readResponse(connection, await open(connection, request));

/** The same, with a body that isn't read yet. */
export async function open(connection: ApiConnection, request: ApiRequest): Promise<Response> {
  for (;;) {
    const response = await sendOnce(connection, request);
    if (response.status === 404) await requireKontor(connection);
    if (response.status !== 429) return response;
    const seconds = readRetryAfter(response.headers);
    printError(`${await findReason(response)} Waiting ${seconds} s.`);
    await sleep(seconds * 1000, undefined, { signal: request.signal });
  }
}

/**
 * Any web server says of an API that it lacks that nothing is there, as Kontor itself does below another path. A script would
 * take it for a resource that doesn't exist.
 * @throws CommandFailure
 */
async function requireKontor(connection: ApiConnection): Promise<void> {
  const { status, body } = await sendOnce(connection, { method: 'GET', path: '/api/v1/me' });
  await body?.cancel();
  if (status === 404) throw new CommandFailure(exitCodes.failed, isNoKontor(connection));
}

export const isNoKontor = ({ url }: { url: string }): string => `${url} answers, but is no Kontor.`;

/** The longest time that is waited before the next attempt, in seconds: a timer has a limit, and may then go off at once. */
const longestWait = 3600;

/** `Retry-After` in seconds, at least 1. Some proxies send a time by their clock, which `Date` has, too. */
export function readRetryAfter(headers: Headers): number {
  const text = headers.get('retry-after') ?? '';
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return Math.min(Math.max(seconds || 1, 1), longestWait);
}

/** Why a request has to wait: beside the rate limit, it may be unfinished exports, one of which the user can cancel. */
async function findReason(response: Response): Promise<string> {
  const { data } = refusal.safeParse(parseBody(response, await response.text().catch(() => '')));
  const isLimit = response.headers.get('x-ratelimit-remaining') === '0';
  return isLimit || !data ? 'The rate limit is reached.' : data.message;
}

export async function readResponse(connection: ApiConnection, response: Response): Promise<ApiResponse> {
  const bytes = Buffer.from(await response.arrayBuffer().catch((error: unknown) => unreachable(connection, error)));
  return { status: response.status, body: parseBody(response, bytes.toString()), bytes, headers: response.headers };
}

/** Sends a request once. A redirect isn't followed: the token is only for the address that the user named. */
async function sendOnce(connection: ApiConnection, request: ApiRequest): Promise<Response> {
  const { method, path, body, headers } = request;
  const isLong = typeof body === 'function';
  const signal = request.signal ?? (isLong ? undefined : AbortSignal.timeout(responseTimeoutMs));
  const response = await fetch(`${connection.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${connection.token}`,
      accept: 'application/json',
      prefer: 'handling=strict', // a parameter with a typing error would be ignored
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && (isLong ? { body: body(), duplex: 'half' } : { body })),
    redirect: 'manual',
    ...(signal && { signal }),
  }).catch((error: unknown) => unreachable(connection, error, method !== 'GET'));
  const location = response.headers.get('location');
  if (response.status >= 300 && response.status < 400 && location !== null)
    throw new CommandFailure(
      exitCodes.failed,
      `${connection.url} redirects to ${new URL(location, connection.url).origin}. Use that address.`,
    );
  return response;
}

/** Why a request was not sent. After another error the service may have done what was asked. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** @param changes whether the request changes something */
function unreachable({ url }: ApiConnection, error: unknown, changes = false): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error;
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const code = cause instanceof Error ? String((cause as NodeJS.ErrnoException).code) : '';
  const reason = cause instanceof Error ? cause.message || code : message;
  const caution = changes && !notSent.has(code) ? ['It may have been done: look before you try again.'] : [];
  throw new CommandFailure(exitCodes.failed, `${url} can't be reached: ${reason}`, caution);
}

function parseBody(response: Response, text: string): unknown {
  if (text === '' || !response.headers.get('content-type')?.includes('json')) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const refusal = z.object({
  message: z.string(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  request_id: z.string().optional(),
});

/**
 * The failure that a response other than 2xx stands for.
 * @param getName how the user names a field, for the errors of a 422
 */
export function buildFailure(
  { url }: ApiConnection,
  { status, body, headers }: ApiResponse,
  getName = (field: string): string => field,
): CommandFailure {
  const { data } = refusal.safeParse(body);
  const errors = Object.entries(data?.errors ?? {}).flatMap(([field, messages]) =>
    messages.map((message) => `${getName(field)}: ${message}`),
  );
  const unexplained = status < 300 ? isNoKontor({ url }) : `${url} answered ${status}, without a reason.`;
  return new CommandFailure(
    getExitCode(status),
    errors.length > 0 ? 'The request is refused.' : (data?.message ?? unexplained),
    [...errors, ...(status >= 500 ? idLines(data?.request_id) : []), ...(status === 404 ? versionLines(headers) : [])],
  );
}

/** Another version may lack what is asked for. */
function versionLines(headers: Headers): string[] {
  const answered = headers.get('kontor-version');
  if (answered === null || answered === version) return [];
  return [`The service is Kontor ${answered}, and this command line ${version}.`];
}

/** For a fault: under this id, the service's log says what has happened. */
export const idLines = (requestId: string | undefined): string[] =>
  requestId === undefined ? [] : [`request_id: ${requestId}`];

function getExitCode(status: number): number {
  if (status === 401 || status === 403) return exitCodes.denied;
  if (status === 404) return exitCodes.notFound;
  return status >= 400 && status < 500 ? exitCodes.refused : exitCodes.failed;
}
