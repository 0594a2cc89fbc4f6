import { hash, verify } from '@node-rs/argon2';
import type { UnscopedClient, User } from '../../prisma/client.ts';
import { RefusedError } from './refused.ts';

const minLength = 12;

/**
 * Argon2id in PHC format, by the library's parameters, which are OWASP's: 19 MiB, two passes.
 *
 * @throws RefusedError when the password is too short
 */
export async function hashPassword(password: string): Promise<string> {
  const normal = normalized(password);
  if ([...normal].length < minLength) throw new RefusedError(`The password must have at least ${minLength} characters`);
  return hash(normal);
}

/** The user with this e-mail address and password, or null. Takes as long when there is no such user. */
export async function verifyPassword(
  client: UnscopedClient,
  email: string,
  password: string,
): Promise<Pick<User, 'id' | 'name' | 'email'> | null> {
  const decoyHash = await (decoy ??= hash('nobody has this password'));
  const user = await client.user.findUnique({
    where: { email: email.trim().toLowerCase() },
    select: { id: true, name: true, email: true, passwordHash: true },
  });
  const matches = await verify(user?.passwordHash ?? decoyHash, normalized(password));
  if (!user?.passwordHash || !matches) return null;
  return { id: user.id, name: user.name, email: user.email };
}

let decoy: Promise<string> | undefined;

/** The same password from any keyboard: some send ü as one character, some as two. */
const normalized = (password: string): string => password.normalize('NFKC');
