import { randomBytes } from 'node:crypto';
import { currentTime } from '../../prisma/clock.ts';
import { formatDay } from '../../schema/graphql/scalars/scalars.ts';
import type { Principal } from '../../schema/graphql/context.ts';
import { addBankAccount } from './bank-account.ts';
import { company } from './company.ts';
import { recordDeliveries } from './deliveries.ts';
import { Timeline } from './timeline.ts';
import { makePartners } from './partners.ts';
import { demoEmail, demoTenant, secondDemoTenant } from './tenants.ts';
import { findUnfinished, lockDemo, markFinished, markUnfinished } from './unfinished.ts';
import { scheduleYear } from './year.ts';
import {
  addExistingUser,
  createAuthenticate,
  createTenant,
  createToken,
  createUser,
  deleteAbandonedTenants,
} from '../identity/index.ts';
import type { Database } from '../database/database.ts';
import type { Domain } from '../domain.ts';
import { withHolder } from '../../prisma/client.ts';

export interface Demo {
  email: string;
  password: string;
  token: string;
  /** Fills the demo tenant's books. This takes longer than the rest of the start, so it is done while requests are served. */
  fill: () => Promise<void>;
  /** Has to be called once nothing is filled any more. */
  close: () => Promise<void>;
}

/**
 * Creates a demo tenant, and a small second tenant to switch to, if there is no tenant yet. All data is created through the
 * domain. What an interrupted start has left of them is deleted before.
 * @returns the login, which is shown once, and is not stored in plain text
 */
export async function makeDemoTenant(database: Database, domain: Domain, dataDir: string): Promise<Demo | undefined> {
  // Not by Prisma, whose query compiler each start would load for this alone.
  const hasTenants = async (): Promise<boolean> =>
    (await database.pool.query('select from tenants limit 1')).rowCount !== 0;
  if ((await findUnfinished(dataDir)).length === 0 && (await hasTenants())) return undefined;
  const release = await lockDemo(database.url);
  if (!release) return undefined; // another process makes them
  try {
    const unfinished = await findUnfinished(dataDir);
    if (unfinished.length > 0)
      await deleteAbandonedTenants(database, domain.fileStorage, { email: demoEmail, tenantIds: unfinished });
    if (await hasTenants()) {
      await markFinished(dataDir);
      await release();
      return undefined;
    }
    return { ...(await makeTenants(database, domain, dataDir)), close: release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function makeTenants({ client, pool }: Database, domain: Domain, dataDir: string): Promise<Omit<Demo, 'close'>> {
  const [tenant, second] = await client.$transaction(async (db) => {
    const german = { country: 'DE', currency: 'EUR', timezone: 'Europe/Berlin' };
    const made = [
      await createTenant(db, { name: demoTenant, ...german }),
      await createTenant(db, { name: secondDemoTenant, country: 'AT', timezone: 'Europe/Vienna' }),
    ] as const;
    await markUnfinished(
      dataDir,
      made.map(({ id }) => id),
    );
    return made;
  });
  const email = demoEmail;
  const password = randomBytes(12).toString('base64url');
  await createUser(client, { email, name: 'Dana Demo', password, tenantId: tenant.id });
  const { token } = await createToken(client, { tenantId: tenant.id, name: 'Demo' });
  await addExistingUser(client, { email, tenantId: second.id });

  const caller = await createAuthenticate(pool, () => {})(`Bearer ${token}`, currentTime());
  if (caller.kind !== 'principal') throw new Error('The demo token is not accepted');
  const { principal } = caller;
  const fill = async (): Promise<void> => {
    const now = currentTime();
    await fillDemoBooks(domain, principal, now);
    await fillSmallBooks(domain, { ...principal, tenant: withHolder(second) }, now);
    // Before anybody is told the login: from then on the tenants are somebody's.
    await markFinished(dataDir);
  };
  return { email, password, token, fill };
}

/** A year of a design studio's books, up to the day that `now` is in the tenant's time zone. */
export async function fillDemoBooks(domain: Domain, principal: Principal, now: Date): Promise<void> {
  const timeline = buildTimeline(domain, principal, now);
  await timeline.ask('updateCompany', { input: company });
  await scheduleYear(timeline, await makePartners(timeline));
  await timeline.run();
  await addBankAccount(timeline);
  await recordDeliveries(domain.contextFor(principal), now);
}

async function fillSmallBooks(domain: Domain, principal: Principal, now: Date): Promise<void> {
  const timeline = buildTimeline(domain, principal, now);
  const theatre = await timeline.create('createCustomer', {
    type: 'CUSTOMER',
    companyName: 'Kammertheater Linz',
    city: 'Linz',
    country: 'AT',
  });
  await timeline.create('createInvoice', {
    customerId: theatre,
    invoiceDate: formatDay(new Date(now.getTime() - 3 * 86_400_000)),
    subject: 'Buffet for the first night',
    status: 'ISSUED',
    items: [{ title: 'Buffet', quantity: '80', unit: 'guest', unitPriceNet: '14.5', vatRate: '10' }],
  });
}

function buildTimeline(domain: Domain, principal: Principal, now: Date): Timeline {
  const { timezone } = principal.tenant;
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone).toPlainDate();
  return new Timeline(domain, (clock) => domain.contextFor(principal, { now: clock }), { today, now });
}
