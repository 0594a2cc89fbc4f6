import { hash, verify } from '@node-rs/argon2';
import type { UnscopedClient, User } from '../../prisma/client.ts';
import { TryLaterError } from '../../schema/errors/errors.ts';
import { ConcurrencyLimiter, FairLimiter } from '../../schema/graphql/execution/concurrency-limiter.ts';
import { findNetwork } from './network.ts';
import { RefusedError } from './refused.ts';

const minLength = 12;
/** The longest password: longer ones would only cost time. */
const maxLength = 128;

/**
 * Hashes are computed one after the other. Each takes a core, and one of the four threads in which Node also compresses responses,
 * and reads and writes files: sign-ins from many addresses, none of which has reached its limit, would take all of them.
 */
const turns = new ConcurrencyLimiter(1);
/** Networks take turns, so that nobody waits for all attempts of another one. */
const perNetwork = new FairLimiter<string>();
/** How many a caller may wait for: some seconds, less than a client waits for its response. */
const maxBefore = 100;

/**
 * @param address the client's address
 * @throws TryLaterError if so many passwords come before the caller's that it would wait too long
 */
export function refuseIfCrowded(address: string): void {
  if (perNetwork.countBefore(findNetwork(address)) >= maxBefore) throw new TryLaterError();
}

async function inTurn<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
  refuseIfCrowded(address);
  return perNetwork.run(findNetwork(address), () => turns.run(work));
}

/** In place of an address: the operator's command line, which is a process of its own. */
const commandLine = 'command line';

/**
 * Argon2id in PHC format, with the library's default parameters, which OWASP recommends: 19 MiB, two passes.
 *
 * @param address the client's address
 * @throws RefusedError if the password is too short, too long, or one of the most common ones
 * @throws TryLaterError
 */
export async function hashPassword(password: string, address = commandLine): Promise<string> {
  const normal = normalized(password);
  const { length } = [...normal];
  if (length < minLength)
    throw new RefusedError(`The password must have at least ${minLength} characters`, (text) => [
      'too_short',
      text,
      { min: minLength },
    ]);
  if (length > maxLength)
    throw new RefusedError(`The password must have at most ${maxLength} characters`, (text) => [
      'too_long',
      text,
      { max: maxLength },
    ]);
  if (await isCommon(normal))
    throw new RefusedError('The password is one of the most common ones: choose another', (text) => [
      'common_password',
      text,
    ]);
  return inTurn(address, () => hash(normal));
}

/** Fifty thousand leaked passwords; loaded when a password is set for the first time. */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const leaked: readonly string[] = dictionary['passwords-common'];
  return leaked.includes(password.toLowerCase());
}

/** A user with the right password, and the hash that it matched: the stored hash may have changed since. */
export type Verified = Pick<User, 'id' | 'name' | 'email'> & { passwordHash: string };

/**
 * The user with this e-mail address and password, or null. It takes as long if there is no such user.
 * @throws TryLaterError
 */
export async function verifyPassword(
  client: UnscopedClient,
  email: string,
  password: string,
  address = commandLine,
): Promise<Verified | null> {
  const decoyHash = await (decoy ??= hash('nobody has this password'));
  const user = await client.user.findUnique({
    where: { email: email.trim().toLowerCase() },
    select: { id: true, name: true, email: true, passwordHash: true },
  });
  const matches = await inTurn(address, () => verify(user?.passwordHash ?? decoyHash, normalized(password)));
  if (!user?.passwordHash || !matches) return null;
  return { ...user, passwordHash: user.passwordHash };
}

let decoy: Promise<string> | undefined;

/** Normalizes a password, because some keyboards send ü as one character, and some as two. */
const normalized = (password: string): string => password.normalize('NFKC');
