import type { Command } from 'commander';
import { currentTime } from '../../../prisma/clock.ts';
import type { UnscopedClient } from '../../../prisma/client.ts';
import { formatTime } from '../../../schema/graphql/scalars/scalars.ts';
import { formatAddress, readConfig } from '../../config/config.ts';
import {
  AccountExistsError,
  addExistingUser,
  createInvitation,
  createUser,
  eraseUser,
  exportUser,
  findAccount,
  invitationLink,
  originOf,
  RefusedError,
  removeUser,
  setPassword,
  showAccount,
  warningOf,
  type Account,
  type InvitationSummary,
  type UserSummary,
} from '../../identity/index.ts';
import { confirm } from '../confirm.ts';
import { print, printJson, toJson, write } from '../output.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { asPassword, readPassword, type PasswordOptions } from './password.ts';

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('users, and the tenants that they are members of');
  addCreate(user);
  asJson(user.command('invite').description('make an invitation link to a tenant; it works once, for 7 days'))
    .requiredOption('--email <address>')
    .requiredOption('--tenant <id>')
    .action(async ({ email, tenant: tenantId, json }: { email: string; tenant: string } & Json) => {
      const { invitation, account } = await withDatabase(async ({ client }) => ({
        invitation: await invite(client, { email, tenantId }),
        account: await findAccount(client, email),
      }));
      if (json) return printJson(invitation);
      if (account) printAccount(account);
      printInvitation(invitation);
    });
  asJson(user.command('show').description('show when and by whom an account was made, and its tenants'))
    .requiredOption('--email <address>')
    .action(async ({ email, json }: { email: string } & Json) => {
      const account = await withDatabase(({ client }) => showAccount(client, email, currentTime()));
      if (json) return printJson(account);
      printAccount(account);
      for (const { id, name, closedAt } of account.tenants)
        print(`Member of ${name} (${id})${closedAt ? ', closed' : ''}`);
      print(`Active API tokens: ${account.activeTokens}`);
    });
  addPassword(user);
  asJson(user.command('remove').description("remove a user from a tenant; the user's tokens lose access to it"))
    .requiredOption('--email <address>')
    .requiredOption('--tenant <id>')
    .action(async ({ email, tenant: tenantId, json }: { email: string; tenant: string } & Json) => {
      await withDatabase(({ client }) => removeUser(client, { email, tenantId }));
      if (json) printJson({ email, tenantId, removed: true });
      else print(`${email} has left ${tenantId}.`);
    });
  addPersonalData(user);
}

function addPersonalData(user: Command): void {
  asJson(user.command('export').description('print as JSON all that is stored about a user'))
    .argument('<address>')
    .action(async (address: string, { json }: Json) => {
      const data = await withDatabase((database) => exportUser(database, address));
      write(`${JSON.stringify(JSON.parse(toJson(data)), null, json ? 0 : 2)}\n`);
    });
  asJson(user.command('erase').description('delete an account; only its id stays where the law has books kept'))
    .argument('<address>')
    .option('--yes', "don't ask")
    .action(async (address: string, { yes, json }: { yes?: boolean } & Json) => {
      const erased = await withDatabase(async (database) => {
        const { email } = await showAccount(database.client, address, currentTime());
        await confirm(`The account of ${email} will be deleted for good.`, email, yes === true);
        return eraseUser(database, email);
      });
      if (json) return printJson(erased);
      print(`The account is deleted. Its id ${erased.id} stays in the books of ${erased.references.length} tenants.`);
      print('Audit logs keep the names of its tokens and addresses of invitations until AUDIT_LOG_YEARS are over.');
      for (const id of erased.withoutMembers) print(`Tenant ${id} has no member any more.`);
    });
}

interface CreateOptions extends PasswordOptions, Json {
  email: string;
  name?: string;
  tenant?: string;
  existing?: true;
}

function addCreate(user: Command): void {
  const description = 'add a user; if the address has an account, invite it';
  asPassword(asJson(user.command('create').description(description)))
    .requiredOption('--email <address>')
    .option('--name <name>')
    .option('--tenant <id>', 'tenant of the user')
    .option('--existing', 'add an existing account to the tenant at once, without an invitation')
    .action(async (options: CreateOptions) => {
      const { json } = options;
      const made = await withDatabase(async ({ client }) => createOrInvite(client, options));
      if ('user' in made) return json ? printJson(made.user) : print(`User ${made.user.email}: ${made.user.id}`);
      if (!('invitation' in made)) {
        if (json) return printJson(made.account);
        printAccount(made.account);
        return print(`${made.account.email} is a member of the tenant now.`);
      }
      if (json) return printJson(made);
      printAccount(made.account);
      print('The account was invited, and not added to the tenant. --existing adds it at once.');
      printInvitation(made.invitation);
    });
}

type Link = InvitationSummary & { link: string };
type CreatedOrInvited = { user: UserSummary } | { account: Account; invitation: Link } | { account: Account };

async function createOrInvite(client: UnscopedClient, options: CreateOptions): Promise<CreatedOrInvited> {
  const { email, name, tenant: tenantId, existing } = options;
  const password = await readPassword(options);
  if (existing) {
    if (tenantId === undefined) throw new RefusedError('--existing needs --tenant');
    if (password !== undefined) throw new RefusedError(keepsPassword(email));
    return { account: await addExistingUser(client, { email, tenantId }) };
  }
  const given = { ...(name !== undefined && { name }), ...(password !== undefined && { password }) };
  try {
    return { user: await createUser(client, { email, ...given, ...(tenantId !== undefined && { tenantId }) }) };
  } catch (error) {
    if (!(error instanceof AccountExistsError) || tenantId === undefined) throw error;
    if (password !== undefined) throw new RefusedError(keepsPassword(email));
    return { account: error.account, invitation: await invite(client, { email, tenantId }) };
  }
}

const keepsPassword = (email: string): string => `User ${email} exists already, and keeps the password: omit it`;

async function invite(client: UnscopedClient, { email, tenantId }: { email: string; tenantId: string }): Promise<Link> {
  const { publicUrl, host, port } = readConfig(process.env);
  const made = await createInvitation(client, { tenantId, email, inviterId: null, now: currentTime() });
  return { ...made.invitation, link: invitationLink(publicUrl ?? formatAddress(host, port), made.secret) };
}

function printInvitation({ email, link }: Link): void {
  print(`Invitation for ${email}. Its link is shown only once:`);
  print(link);
}

function printAccount(account: Account): void {
  print(`${account.email} has an account already, ${originOf(account)}.`);
  const warning = warningOf(account);
  print(warning ?? `Its address was proven ${formatTime(account.emailVerifiedAt ?? account.createdAt)}.`);
}

interface SetPasswordOptions extends PasswordOptions, Json {
  email: string;
  revokeTokens?: true;
}

function addPassword(user: Command): void {
  asPassword(asJson(user.command('password').description("set a user's password; the user's sessions end")))
    .requiredOption('--email <address>')
    .option('--revoke-tokens', "also revoke the user's API tokens")
    .action(async (options: SetPasswordOptions) => {
      const password = await readPassword(options);
      if (password === undefined) throw new RefusedError('Pass a password, for example by --password-stdin');
      const { email, revokeTokens = false } = options;
      const changed = await withDatabase(({ client }) => setPassword(client, { email, password, revokeTokens }));
      const { revokedTokens, activeTokens } = changed;
      if (options.json) return printJson({ ...changed, changed: true });
      print(`${changed.email} has a new password. All sessions have ended.`);
      if (revokedTokens > 0) print(`${tokens(revokedTokens)} revoked.`);
      if (activeTokens > 0) print(`${tokens(activeTokens)} still active: --revoke-tokens revokes them as well.`);
    });
}

const tokens = (count: number): string => (count === 1 ? '1 API token is' : `${count} API tokens are`);
