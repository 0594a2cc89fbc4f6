import { randomBytes } from 'node:crypto';
import type { Context } from '../schema/context.ts';
import { run } from '../rest-shim/operation.ts';
import { formatDay } from '../schema/scalars.ts';
import { authenticate, createTenant, createToken, createUser } from './identity/index.ts';
import type { Database } from './database.ts';
import type { Domain } from './domain.ts';

export interface Demo {
  email: string;
  password: string;
  token: string;
}

/**
 * A tenant to try the service with, and a small one to switch to, made through the domain like any other data. Only
 * where no tenant is yet.
 * @returns how to get in: shown once, stored nowhere in plain form
 */
export async function makeDemoTenant({ client, pool }: Database, domain: Domain): Promise<Demo | undefined> {
  if (await client.tenant.findFirst()) return undefined;
  const tenant = await createTenant(client, {
    name: 'Studio Nordlicht',
    country: 'DE',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
  });
  const email = 'demo@kontor.example';
  const password = randomBytes(12).toString('base64url');
  await createUser(client, { email, name: 'Dana Demo', password, tenantId: tenant.id });
  const { token } = await createToken(client, { tenantId: tenant.id, name: 'Demo' });

  const caller = await authenticate({ client, pool }, `Bearer ${token}`, new Date(), () => {});
  if (caller.kind !== 'principal') throw new Error('The demo token is not accepted');
  const books = domain.contextFor(caller.principal);
  await fillBooks(books, creating(domain, books));

  const second = await createTenant(client, { name: 'Café Ankerplatz', country: 'AT', timezone: 'Europe/Vienna' });
  await createUser(client, { email, tenantId: second.id });
  await fillSmallBooks(creating(domain, domain.contextFor({ ...caller.principal, tenant: second })));
  return { email, password, token };
}

const creating =
  (domain: Domain, context: Context): Create =>
  async (name, input) => {
    const operation = domain.operations.get(name);
    if (!operation) throw new Error(`There is no operation ${name}`);
    return ((await run(operation, { input }, context)) as { id: string }).id;
  };

type Create = (operation: string, input: object) => Promise<string>;

const day = (offset: number): string => formatDay(new Date(Date.now() + offset * 86_400_000));
const item = (title: string, quantity: string, unit: string, unitPriceNet: string, vatRate = '19') => ({
  title,
  quantity,
  unit,
  unitPriceNet,
  vatRate,
});

async function fillSmallBooks(create: Create): Promise<void> {
  const theatre = await create('createCustomer', {
    type: 'CUSTOMER',
    companyName: 'Kammertheater Linz',
    city: 'Linz',
    country: 'AT',
  });
  await create('createInvoice', {
    customerId: theatre,
    invoiceDate: day(-3),
    subject: 'Buffet for the first night',
    status: 'ISSUED',
    items: [item('Buffet', '80', 'guest', '14.5', '10')],
  });
}

async function fillBooks(context: Context, create: Create): Promise<void> {
  const bakery = await create('createCustomer', {
    type: 'CUSTOMER',
    companyName: 'Bäckerei Sonnenschein GmbH',
    email: 'buero@sonnenschein.example',
    addressLine1: 'Marktplatz 4',
    postalCode: '24103',
    city: 'Kiel',
    country: 'DE',
    vatId: 'DE811907980',
  });
  const museum = await create('createCustomer', {
    type: 'CUSTOMER',
    companyName: 'Museum aan de Haven',
    email: 'inkoop@museumhaven.example',
    addressLine1: 'Havenkade 12',
    postalCode: '3011 BN',
    city: 'Rotterdam',
    country: 'NL',
    vatId: 'NL004495445B01',
  });
  const printer = await create('createCustomer', {
    type: 'SUPPLIER',
    companyName: 'Druckerei Petersen KG',
    email: 'rechnung@petersen-druck.example',
    city: 'Flensburg',
    country: 'DE',
  });

  const website = await create('createProject', {
    name: 'New website for the museum',
    customerId: museum,
    hourlyRateNet: '95',
    budgetHours: '120',
    startDate: day(-60),
  });
  const branding = await create('createProject', { name: 'Bakery branding', customerId: bakery, hourlyRateNet: '85' });
  for (const [project, offset, minutes, description] of [
    [website, -9, 240, 'Wireframes'],
    [website, -8, 375, 'Accessible colour scheme'],
    [website, -2, 180, 'Review with the curators'],
    [branding, -3, 90, 'Logo drafts'],
  ] as const) {
    await create('createTimeEntry', { projectId: project, date: day(offset), durationMinutes: minutes, description });
  }

  await create('createInvoice', {
    customerId: bakery,
    invoiceDate: day(-75),
    subject: 'Shop window design',
    status: 'PAID',
    items: [item('Design', '12', 'h', '85'), item('Printed posters', '40', 'pcs', '3.2', '7')],
  });
  await create('createInvoice', {
    customerId: museum,
    invoiceDate: day(-40),
    subject: 'Website, first instalment',
    status: 'ISSUED',
    items: [item('Concept', '1', 'flat', '2400'), item('Workshop', '1.5', 'days', '780')],
  });
  await create('createInvoice', {
    customerId: bakery,
    invoiceDate: day(-5),
    subject: 'Menu cards',
    status: 'ISSUED',
    items: [item('Layout', '4.5', 'h', '85'), item('Menu cards', '250', 'pcs', '0.4199', '7')],
  });
  await create('createInvoice', {
    customerId: museum,
    invoiceDate: day(0),
    subject: 'Website, second instalment',
    items: [item('Design system', '1', 'flat', '3150')],
  });

  await create('createReceipt', {
    supplierId: printer,
    receiptDate: day(-20),
    receiptNumber: 'P-20817',
    amountGross: '136.96',
    vatRate: '7',
    category: 'Printing',
    status: 'BOOKED',
  });
  await create('createReceipt', {
    receiptDate: day(-6),
    amountGross: '49.9',
    vatRate: '19',
    description: 'Train to Rotterdam',
  });

  const account = { accountIban: 'DE02120300000000202051', currency: 'EUR' };
  for (const [offset, amount, counterpartyName, reference] of [
    [-18, '-136.96', 'Druckerei Petersen KG', 'P-20817'],
    [-4, '2928.5', 'Museum aan de Haven', 'Factuur website'],
    [-1, '-12.9', 'Bank', 'Account fee'],
  ] as const) {
    const bookingDate = new Date(`${day(offset)}T00:00:00Z`);
    await context.db.bankTransaction.create({
      data: {
        ...account,
        bookingDate,
        valueDate: bookingDate,
        amount,
        amountOpen: amount,
        counterpartyName,
        reference,
      },
    });
  }
}
