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
import { scheduleYear } from './year.ts';
import { addExistingUser, createAuthenticate, createTenant, createToken, createUser } from '../identity/index.ts';
import type { Database } from '../database/database.ts';
import type { Domain } from '../domain.ts';
import { withHolder } from '../../prisma/client.ts';

export interface Demo {
  email: string;
  password: string;
  token: string;
  /** Fills the demo tenant's books. This takes longer than the rest of the start, so it is done while requests are served. */
  fill: () => Promise<void>;
}

/**
 * Creates a demo tenant, and a small second tenant to switch to, if there is no tenant yet. All data is created through the
 * domain.
 * @returns the login, which is shown once, and is not stored in plain text
 */
export async function makeDemoTenant({ client, pool }: Database, domain: Domain): Promise<Demo | undefined> {
  // Not by Prisma, whose query compiler each start would load for this alone.
  const { rowCount } = await pool.query('select from tenants limit 1');
  if (rowCount !== 0) return undefined;
  const tenant = await createTenant(client, {
    name: demoTenant,
    country: 'DE',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
  });
  const email = demoEmail;
  const password = randomBytes(12).toString('base64url');
  await createUser(client, { email, name: 'Dana Demo', password, tenantId: tenant.id });
  const { token } = await createToken(client, { tenantId: tenant.id, name: 'Demo' });
  const second = await createTenant(client, { name: secondDemoTenant, country: 'AT', timezone: 'Europe/Vienna' });
  await addExistingUser(client, { email, tenantId: second.id });

  const caller = await createAuthenticate(pool, () => {})(`Bearer ${token}`, currentTime());
  if (caller.kind !== 'principal') throw new Error('The demo token is not accepted');
  const { principal } = caller;
  const fill = async (): Promise<void> => {
    const now = currentTime();
    await fillDemoBooks(domain, principal, now);
    await fillSmallBooks(domain, { ...principal, tenant: withHolder(second) }, now);
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
