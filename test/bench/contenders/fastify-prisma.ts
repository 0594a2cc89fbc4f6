import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient, type Prisma } from '../../../prisma/generated/client/client.ts';
import { serve } from './rest-app.ts';
import {
  databaseUrl,
  due,
  eventBody,
  formatTime,
  hashToken,
  newId,
  poolSize,
  today,
  unitCode,
  vatCategory,
  computeTotals,
  vatBreakdown,
} from './environment.ts';

// The service that most teams would write: Prisma's own queries, one `include` for what belongs together.

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: databaseUrl, max: poolSize }) });

const withItems = { items: { orderBy: { position: 'asc' } } } as const;
type InvoiceRow = Prisma.InvoiceGetPayload<{ include: typeof withItems }>;

const day = (date: Date): string => date.toISOString().slice(0, 10);
const dayOrNull = (date: Date | null): string | null => date && day(date);
const time = (date: Date | null): string | null => date && formatTime(date);

function represent({ items, ...row }: InvoiceRow) {
  const status = row.status.toLowerCase();
  const [gross, paid, dueDate] = [row.totalGross.toNumber(), row.amountPaid.toNumber(), day(row.dueDate)];
  const lines = items.map(({ id, position, title, unit, ...item }) => ({
    id,
    position,
    title,
    unit,
    quantity: item.quantity.toNumber(),
    unit_price_net: item.unitPriceNet.toNumber(),
    vat_rate: item.vatRate.toNumber(),
    line_total_net: item.lineTotalNet.toNumber(),
    description: item.description,
    vat_category: item.vatCategory ?? vatCategory(item.vatRate.toNumber()),
    exemption_reason: item.exemptionReason,
    unit_code: item.unitCode ?? unitCode(unit),
    discount_percent: item.discountPercent.toNumber(),
    service_period_start: dayOrNull(item.servicePeriodStart),
    service_period_end: dayOrNull(item.servicePeriodEnd),
  }));
  return {
    id: row.id,
    number: row.number,
    customer_id: row.customerId,
    invoice_date: day(row.invoiceDate),
    due_date: dueDate,
    subject: row.subject,
    currency: row.currency,
    status,
    items: lines,
    total_net: row.totalNet.toNumber(),
    total_vat: row.totalVat.toNumber(),
    total_gross: gross,
    vat_breakdown: vatBreakdown(lines),
    amount_paid: paid,
    amount_due: due(status, gross, paid),
    is_overdue: status === 'issued' && dueDate < today(),
    issued_at: time(row.issuedAt),
    paid_at: time(row.paidAt),
    cancelled_at: time(row.cancelledAt),
    delivery_date: dayOrNull(row.deliveryDate),
    amount_credited: row.amountCredited.toNumber(),
    amount_refunded: row.amountRefunded.toNumber(),
    amount_adjusted: row.amountAdjusted.toNumber(),
    exchange_rate: row.exchangeRate?.toNumber() ?? null,
    exchange_rate_date: dayOrNull(row.exchangeRateDate),
    exchange_rate_source: row.exchangeRateSource,
    exchange_currency: row.exchangeCurrency,
    external_id: row.externalId,
    metadata: row.metadata,
    created_at: time(row.createdAt),
    updated_at: time(row.updatedAt),
  };
}

function representCustomer({ type, companyName, addressLine1, postalCode, ...row }: Prisma.CustomerGetPayload<object>) {
  return {
    id: row.id,
    type: type.toLowerCase(),
    company_name: companyName,
    email: row.email,
    address_line1: addressLine1,
    postal_code: postalCode,
    city: row.city,
    country: row.country,
    vat_id: row.vatId,
    contact_name: row.contactName,
    phone: row.phone,
    buyer_reference: row.buyerReference,
    electronic_address: row.electronicAddress,
    electronic_address_scheme: row.electronicAddressScheme,
    language: row.language,
    payment_terms_days: row.paymentTermsDays,
    required_e_invoice: row.requiredEInvoice,
    external_id: row.externalId,
    metadata: row.metadata,
    created_at: time(row.createdAt),
    updated_at: time(row.updatedAt),
  };
}

await serve({
  caller: async (authorization) => {
    const token = await prisma.apiToken.findUnique({
      where: { hash: new Uint8Array(hashToken(authorization)) },
      include: { tenant: true },
    });
    if (!token?.tenant || token.tenant.closedAt || token.revokedAt) return undefined;
    if (token.expiresAt && token.expiresAt <= new Date()) return undefined;
    return { tenantId: token.tenant.id };
  },

  invoice: async (tenantId, id) => {
    const row = await prisma.invoice.findUnique({ where: { tenantId_id: { tenantId, id } }, include: withItems });
    return row ? represent(row) : undefined;
  },

  invoices: async (tenantId, { status, customerId }, { limit, offset, counted }) => {
    const where = { tenantId, customerId, status: status?.toUpperCase() as Prisma.InvoiceWhereInput['status'] };
    const [rows, total] = await Promise.all([
      prisma.invoice.findMany({ where, include: withItems, orderBy: { id: 'desc' }, take: limit, skip: offset }),
      counted ? prisma.invoice.count({ where }) : undefined,
    ]);
    return { rows: rows.map(represent), ...(total !== undefined && { total }) };
  },

  customer: async (tenantId, id) => {
    const row = await prisma.customer.findUnique({ where: { tenantId_id: { tenantId, id } } });
    return row ? representCustomer(row) : undefined;
  },

  customers: async (tenantId, { q }, { limit, offset }) => {
    const contains = q?.toLowerCase().replace(/[\\%_]/g, '\\$&');
    const where: Prisma.CustomerWhereInput = { tenantId, ...(contains && { searchText: { contains } }) };
    const [rows, total] = await Promise.all([
      prisma.customer.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
      prisma.customer.count({ where }),
    ]);
    return { rows: rows.map(representCustomer), total };
  },

  createInvoice: (tenantId, { items, ...input }) =>
    prisma.$transaction(async (transaction) => {
      const { lines, net, vat, gross } = computeTotals(items);
      const row = await transaction.invoice.create({
        data: {
          tenantId,
          id: newId(),
          customerId: input.customer_id,
          currency: 'EUR',
          subject: input.subject,
          invoiceDate: new Date(input.invoice_date),
          dueDate: new Date(input.due_date),
          totalNet: net,
          totalVat: vat,
          totalGross: gross,
          items: {
            create: lines.map(({ position, title, quantity, unit, ...line }) => ({
              position,
              title,
              quantity,
              unit,
              unitPriceNet: line.unit_price_net,
              vatRate: line.vat_rate,
              lineTotalNet: line.line_total_net,
              vatCategory: vatCategory(line.vat_rate),
              unitCode: unitCode(unit),
            })),
          },
        },
        include: withItems,
      });
      const invoice = represent(row);
      await transaction.event.create({
        data: {
          tenantId,
          type: 'invoice.created',
          resourceId: row.id,
          body: eventBody(tenantId, formatTime(row.createdAt), 'invoice', invoice),
        },
      });
      return invoice;
    }),
});
