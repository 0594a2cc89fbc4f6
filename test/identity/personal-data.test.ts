import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  addExistingUser,
  createInvitation,
  createUser,
  eraseUser,
  exportUser,
  removeUser,
  startSession,
} from '../../src/identity/index.ts';
import { setCompany, makeIssuedInvoice } from '../documents/parties.ts';
import { makeProject, makeTimeEntry } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { proveAndSeal, verify } from '../verify/books.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;
let email: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ name: 'Acme' });
  globex = await service.integrator({ name: 'Globex' });
  ({ email } = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } }));
  await setCompany(acme);
  await makeIssuedInvoice(acme);
  await makeTimeEntry(acme, { projectId: await makeProject(acme) });
  await addExistingUser(service.client, { email, tenantId: globex.tenantId });
  await startSession(service.client, { userId: acme.userId, userAgent: 'Firefox', now: new Date() });
});
afterAll(() => service.close());

const invite = ({ tenantId }: Integrator, address: string, inviterId: string | null) =>
  createInvitation(service.client, { tenantId, email: address, inviterId, now: new Date() });

it('shows all that is stored about a user, and no secret', async () => {
  await invite(acme, 'new@example.com', acme.userId);
  const data = await exportUser(service, ` ${email.toUpperCase()} `);
  expect(data).toMatchObject({
    account: { id: acme.userId, email, hasPassword: false },
    memberships: [
      { tenantId: acme.tenantId, tenant: { name: 'Acme' } },
      { tenantId: globex.tenantId, tenant: { name: 'Globex' } },
    ],
    sessions: [{ userAgent: 'Firefox' }],
    tokens: [{ id: acme.tokenId, tenantId: acme.tenantId }],
    invitations: [{ email: 'new@example.com' }],
    references: [{ tenantId: acme.tenantId, rows: { audit_entries: expect.any(Number), time_entries: 1 } }],
  });
  expect(JSON.stringify(data)).not.toMatch(/hash"/i);
  await expect(exportUser(service, "x' or true --")).rejects.toThrow(/^Unknown user /);
});

it('erases a user everywhere, while the books still verify', async () => {
  const other = await createUser(service.client, { email: 'other@example.com', tenantId: acme.tenantId });
  const { rows } = await service.pool.query<{ table: string }>(`
    select table_name as table from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name <> 'tenants'`);
  const naming = async (text: string): Promise<string[]> => {
    const found = await Promise.all(
      rows.map(async ({ table }) => {
        const query = `select from "${table}" as row where row::text like '%' || $1 || '%'`;
        return (await service.pool.query(query, [text])).rowCount === 0 ? [] : [table];
      }),
    );
    return found.flat().toSorted();
  };
  expect(await naming(email)).toEqual(['users']);
  await proveAndSeal(service, acme);

  const erased = await eraseUser(service, email);
  expect(erased).toEqual({
    id: acme.userId,
    references: [{ tenantId: acme.tenantId, rows: { audit_entries: expect.any(Number), time_entries: 1 } }],
    withoutMembers: [],
  });
  expect(await naming(email)).toEqual([]);
  expect(await naming(acme.userId)).toEqual(['audit_entries', 'events', 'time_entries']);
  expect((await acme.rest('GET', '/customers')).status).toBe(401);
  await expect(eraseUser(service, email)).rejects.toThrow('Unknown user');

  const asOther = { ...acme, userId: other.id };
  await proveAndSeal(service, asOther);
  expect(await verify(service, asOther)).toMatchObject({ all: [], auditLog: { unsealed: 0 } });

  expect((await eraseUser(service, 'other@example.com')).withoutMembers).toEqual([acme.tenantId]);
});

it('finds the id in books of a tenant that the user has left, and ends invitations to the address', async () => {
  const user = await createUser(service.client, { email: 'left@example.com', tenantId: globex.tenantId });
  await makeTimeEntry({ ...globex, userId: user.id }, { projectId: await makeProject(globex) });
  await globex.db.timeEntry.updateMany({ data: { userId: user.id } });
  await removeUser(service.client, { email: 'left@example.com', tenantId: globex.tenantId });
  await invite(globex, 'left@example.com', null);
  const { references } = await eraseUser(service, 'left@example.com');
  expect(references).toEqual([{ tenantId: globex.tenantId, rows: { time_entries: 1 } }]);
  expect(await service.client.invitation.count({ where: { email: 'left@example.com' } })).toBe(0);
});
