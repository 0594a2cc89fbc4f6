import { createServer } from 'node:http';
import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { useSofa } from 'sofa-api';
import { InvoiceStatus as InvoiceStatuses, PrismaClient, Prisma } from '../../../prisma/generated/client/client.ts';
import { getDatamodel, type default as PrismaTypes } from '../../../prisma/generated/pothos.ts';
import {
  databaseUrl,
  due,
  formatTime,
  hashToken,
  logRequest,
  poolSize,
  port,
  today,
  unitCode,
  vatCategory,
  vatBreakdown,
} from './environment.ts';

// SOFA over a Pothos schema equal to Kontor's, as far as it is asked: the same models, the same Prisma.

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: databaseUrl, max: poolSize }) });

interface Context {
  tenantId: string;
}

const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    Date: { Input: Date; Output: Date };
    DateTime: { Input: Date; Output: Date };
    Decimal: { Input: string; Output: Prisma.Decimal | number };
    Metadata: { Input: never; Output: Prisma.JsonValue };
  };
}>({
  plugins: [PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: prisma, dmmf: getDatamodel() },
});

builder.scalarType('Date', { serialize: (day) => day.toISOString().slice(0, 10) });
builder.scalarType('DateTime', { serialize: formatTime });
builder.scalarType('Decimal', { serialize: String });
builder.scalarType('Metadata', { serialize: (pairs) => pairs });
const InvoiceStatus = builder.enumType(InvoiceStatuses, { name: 'InvoiceStatus' });

const InvoiceItem = builder.prismaObject('InvoiceItem', {
  fields: (t) => ({
    id: t.exposeID('id'),
    position: t.exposeInt('position'),
    title: t.exposeString('title'),
    quantity: t.expose('quantity', { type: 'Decimal' }),
    unit: t.exposeString('unit', { nullable: true }),
    unitPriceNet: t.expose('unitPriceNet', { type: 'Decimal' }),
    vatRate: t.expose('vatRate', { type: 'Decimal' }),
    lineTotalNet: t.expose('lineTotalNet', { type: 'Decimal' }),
    description: t.exposeString('description', { nullable: true }),
    vatCategory: t.string({
      select: { vatCategory: true, vatRate: true },
      resolve: (item) => item.vatCategory ?? vatCategory(Number(item.vatRate)),
    }),
    exemptionReason: t.exposeString('exemptionReason', { nullable: true }),
    unitCode: t.string({
      select: { unitCode: true, unit: true },
      resolve: (item) => item.unitCode ?? unitCode(item.unit),
    }),
    discountPercent: t.expose('discountPercent', { type: 'Decimal' }),
    servicePeriodStart: t.expose('servicePeriodStart', { type: 'Date', nullable: true }),
    servicePeriodEnd: t.expose('servicePeriodEnd', { type: 'Date', nullable: true }),
  }),
});

const VatShare = builder.objectRef<ReturnType<typeof vatBreakdown>[number]>('VatShare').implement({
  fields: (t) => ({
    vatRate: t.expose('vat_rate', { type: 'Decimal' }),
    net: t.expose('net', { type: 'Decimal' }),
    vat: t.expose('vat', { type: 'Decimal' }),
  }),
});

const byPosition = { orderBy: { position: 'asc' } } as const;

const Invoice = builder.prismaObject('Invoice', {
  fields: (t) => ({
    id: t.exposeID('id'),
    number: t.exposeString('number', { nullable: true }),
    customerId: t.exposeID('customerId'),
    invoiceDate: t.expose('invoiceDate', { type: 'Date' }),
    dueDate: t.expose('dueDate', { type: 'Date' }),
    subject: t.exposeString('subject', { nullable: true }),
    currency: t.exposeString('currency'),
    status: t.expose('status', { type: InvoiceStatus }),
    items: t.relation('items', { type: InvoiceItem, query: byPosition }),
    totalNet: t.expose('totalNet', { type: 'Decimal' }),
    totalVat: t.expose('totalVat', { type: 'Decimal' }),
    totalGross: t.expose('totalGross', { type: 'Decimal' }),
    vatBreakdown: t.field({
      type: [VatShare],
      select: { items: byPosition },
      resolve: ({ items }) =>
        vatBreakdown(
          items.map(({ vatRate, lineTotalNet }) => ({
            vat_rate: Number(vatRate),
            line_total_net: Number(lineTotalNet),
          })),
        ),
    }),
    amountPaid: t.expose('amountPaid', { type: 'Decimal' }),
    amountDue: t.field({
      type: 'Decimal',
      select: { status: true, totalGross: true, amountPaid: true },
      resolve: ({ status, totalGross, amountPaid }) =>
        due(status.toLowerCase(), Number(totalGross), Number(amountPaid)),
    }),
    isOverdue: t.boolean({
      select: { status: true, dueDate: true },
      resolve: ({ status, dueDate }) => status === 'ISSUED' && dueDate.toISOString().slice(0, 10) < today(),
    }),
    issuedAt: t.expose('issuedAt', { type: 'DateTime', nullable: true }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true }),
    cancelledAt: t.expose('cancelledAt', { type: 'DateTime', nullable: true }),
    deliveryDate: t.expose('deliveryDate', { type: 'Date', nullable: true }),
    amountCredited: t.expose('amountCredited', { type: 'Decimal' }),
    amountRefunded: t.expose('amountRefunded', { type: 'Decimal' }),
    amountAdjusted: t.expose('amountAdjusted', { type: 'Decimal' }),
    exchangeRate: t.expose('exchangeRate', { type: 'Decimal', nullable: true }),
    exchangeRateDate: t.expose('exchangeRateDate', { type: 'Date', nullable: true }),
    exchangeRateSource: t.exposeString('exchangeRateSource', { nullable: true }),
    exchangeCurrency: t.exposeString('exchangeCurrency', { nullable: true }),
    externalId: t.exposeString('externalId', { nullable: true }),
    metadata: t.expose('metadata', { type: 'Metadata' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.queryType({
  fields: (t) => ({
    invoice: t.prismaField({
      type: Invoice,
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: (query, _root, { id }, { tenantId }) =>
        prisma.invoice.findUnique({ ...query, where: { tenantId_id: { tenantId, id: String(id) } } }),
    }),
    invoices: t.prismaField({
      type: [Invoice],
      args: { first: t.arg.int(), offset: t.arg.int(), status: t.arg({ type: InvoiceStatus }) },
      resolve: (query, _root, { first, offset, status }, { tenantId }) =>
        prisma.invoice.findMany({
          ...query,
          where: { tenantId, ...(status && { status }) },
          orderBy: { id: 'desc' },
          take: first ?? 25,
          skip: offset ?? 0,
        }),
    }),
  }),
});

const sofa = useSofa({
  basePath: '/api',
  schema: builder.toSchema(),
  context: async ({ req }: { req: { headers: { authorization?: string } } }): Promise<Context> => {
    const token = await prisma.apiToken.findUnique({
      where: { hash: new Uint8Array(hashToken(req.headers.authorization)) },
      include: { tenant: true },
    });
    const valid = token && !token.revokedAt && (!token.expiresAt || token.expiresAt > new Date());
    if (!valid || !token.tenant || token.tenant.closedAt) throw new Error('The API token is missing or not valid.');
    return { tenantId: token.tenant.id };
  },
});

createServer((request, response) => {
  const start = performance.now();
  response.once('close', () => logRequest(request.method, request.url, response.statusCode, performance.now() - start));
  void sofa(request, response);
}).listen(port, '127.0.0.1');
