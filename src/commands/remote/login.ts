import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { asJson, type Json } from '../json-option.ts';
import { print, printJson, printRow } from '../output.ts';
import {
  resolveAddress,
  buildFailure,
  connectionOptions,
  isNoKontor,
  parseToken,
  send,
  withConnection,
} from './connection.ts';
import { findProfile, readProfiles, writeProfiles } from './profiles.ts';

/** `login` keeps an address and a token as a profile, `profiles` lists them, and `logout` forgets one. */
export function addProfileCommands(program: Command): void {
  const login = withConnection(
    program
      .command('login')
      .description('keep an address and a token as a profile; the token is asked for, or read from standard input'),
  );
  login.action(async () => {
    const given = connectionOptions(login);
    const name = parseName(given.profile ?? process.env['KONTOR_PROFILE'] ?? 'default');
    const url = resolveAddress(given);
    const token = parseToken(given.token ?? (process.env['KONTOR_TOKEN'] || (await readToken())));
    const { tenant } = await readMe({ url, token });
    const { profiles } = readProfiles();
    const others = profiles.filter((profile) => profile.name !== name);
    writeProfiles({ current: name, profiles: [...others, { name, url, token }] });
    print(`Logged in to ${tenant.name} at ${url}. The profile "${name}" is now used by default.`);
  });

  const profiles = asJson(
    program
      .command('profiles')
      .description('list profiles; the current one is marked by *')
      .option('--use <name>', 'make this one the current profile'),
  );
  profiles.action(({ use, json }: { use?: string } & Json) => {
    if (use !== undefined) writeProfiles({ ...readProfiles(), current: findProfile(use).name });
    const known = readProfiles();
    const rows = known.profiles.map(({ name, url }) => ({ name, url, current: name === known.current }));
    if (json) printJson(rows);
    else for (const { name, url, current } of rows) printRow(current ? '*' : '', name, url);
  });

  const logout = withConnection(program.command('logout').description('forget a profile and its token'));
  logout.action(() => {
    const known = readProfiles();
    const named = connectionOptions(logout).profile ?? (process.env['KONTOR_PROFILE'] || known.current);
    if (named === '') throw new CommandFailure(exitCodes.usage, 'There is no profile: kontor login makes one.');
    const { name } = findProfile(named);
    const others = known.profiles.filter((profile) => profile.name !== name);
    writeProfiles({ current: known.current === name ? (others[0]?.name ?? '') : known.current, profiles: others });
    print(`The profile "${name}" is forgotten. Its token stays valid until it is revoked.`);
  });
}

function parseName(name: string): string {
  if (/^\w[\w.-]{0,63}$/.test(name)) return name;
  throw new CommandFailure(exitCodes.usage, "A profile's name has letters, digits, and . _ - only, 64 at most.");
}

async function readToken(): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const { default: password } = await import('@inquirer/password');
  return password({ message: 'API token:', mask: true });
}

const me = z.object({
  data: z.object({
    tenant: z.object({ name: z.string() }),
    token: z.object({ name: z.string().nullable(), abilities: z.array(z.string()), expires_at: z.string().nullable() }),
  }),
});

/** Whose token it is, and what it may do. @throws CommandFailure if it is not valid */
export async function readMe(connection: { url: string; token: string }): Promise<z.infer<typeof me>['data']> {
  const response = await send(connection, { method: 'GET', path: '/api/v1/me' });
  if (response.status !== 200) throw buildFailure(connection, response);
  const { data } = me.safeParse(response.body);
  if (!data) throw new CommandFailure(exitCodes.failed, isNoKontor(connection));
  return data.data;
}
