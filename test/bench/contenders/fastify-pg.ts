import { Pool, types, type PoolClient, type QueryResultRow } from 'pg';
import { loadCustomers } from './load-customers.ts';
import { serve, type Filter, type Window } from './rest-app.ts';
import {
  databaseUrl,
  eventBody,
  formatTime,
  hashToken,
  newId,
  otherInvoiceFields,
  otherItemFields,
  poolSize,
  today,
  unitCode,
  vatCategory,
  computeTotals,
  vatBreakdown,
  type StoredItem,
} from './environment.ts';

// The hand-made optimum, without a domain: SQL by hand, every statement prepared (it has a name), one round trip for
// each question, values turned into JSON's as they are parsed.

types.setTypeParser(types.builtins.NUMERIC, Number);
types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(types.builtins.DATE, (day) => day);
types.setTypeParser(types.builtins.TIMESTAMPTZ, (time) => `${time.slice(0, 10)}T${time.slice(11, 19)}+00:00`);

const pool = new Pool({ connectionString: databaseUrl, max: poolSize, options: '-c timezone=UTC' });

async function query<Row extends QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows;
}

interface InvoiceRow {
  status: string;
  due_date: string;
  items: StoredItem[];
}

const invoiceColumns = `
  i.id, i.number, i.customer_id, i.invoice_date, i.due_date, i.delivery_date, i.subject, i.currency, i.status,
  i.total_net, i.total_vat, i.total_gross, i.amount_credited, i.amount_refunded, i.amount_paid, i.amount_adjusted,
  i.amount_due, i.issued_at, i.paid_at, i.cancelled_at, i.exchange_rate, i.exchange_rate_date, i.exchange_rate_source,
  i.exchange_currency, i.external_id, i.metadata, i.created_at, i.updated_at,
  (select json_agg(json_build_object('id', l.id, 'position', l.position, 'title', l.title,
      'description', l.description, 'vat_category', coalesce(l.vat_category, case l.vat_rate when 0 then 'Z' else 'S' end),
      'exemption_reason', l.exemption_reason,
      'unit_code', coalesce(l.unit_code, case l.unit when 'h' then 'HUR' when 'pcs' then 'H87' else 'C62' end),
      'discount_percent', l.discount_percent, 'service_period_start', l.service_period_start,
      'service_period_end', l.service_period_end, 'quantity', l.quantity, 'unit', l.unit,
      'unit_price_net', l.unit_price_net, 'vat_rate', l.vat_rate, 'line_total_net', l.line_total_net) order by l.position)
    from invoice_items l where l.tenant_id = i.tenant_id and l.invoice_id = i.id) as items`;

const represent = (row: InvoiceRow) =>
  Object.assign(row, {
    vat_breakdown: vatBreakdown(row.items),
    is_overdue: row.status === 'issued' && row.due_date < today(),
  });

const customerColumns = `id, type, company_name, email, address_line1, postal_code, city, country, vat_id, contact_name, phone, buyer_reference,
  electronic_address, electronic_address_scheme, language, payment_terms_days, required_e_invoice, external_id, metadata,
  created_at, updated_at`;

/** Page and total at once, over two connections. Each set of filters is a statement of its own. */
async function list<Row extends QueryResultRow>(
  table: string,
  columns: string,
  conditions: [string, unknown][],
  { limit, offset, counted }: Window,
): Promise<{ rows: Row[]; total?: number }> {
  const where = conditions.map(([condition], at) => condition.replaceAll('?', `$${at + 1}`)).join(' and ');
  const values = conditions.map(([, value]) => value);
  const name = `${table}: ${where}`;
  const page = `limit $${values.length + 1} offset $${values.length + 2}`;
  const [rows, [count]] = await Promise.all([
    query<Row>(`page of ${name}`, `select ${columns} from ${table} i where ${where} order by i.id desc ${page}`, [
      ...values,
      limit,
      offset,
    ]),
    counted
      ? query<{ count: number }>(`count of ${name}`, `select count(*) from ${table} i where ${where}`, values)
      : [],
  ]);
  return { rows, ...(count && { total: count.count }) };
}

const present = (conditions: [string, unknown][]) => conditions.filter(([, value]) => value !== undefined);

await serve({
  caller: async (authorization) => {
    const [row] = await query<{ tenant_id: string; expires_at: string | null }>(
      'caller',
      `select n.id as tenant_id, t.expires_at from api_tokens t
         join memberships m on m.tenant_id = t.tenant_id and m.user_id = t.user_id
         join tenants n on n.id = m.tenant_id and n.closed_at is null
       where t.hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
      [hashToken(authorization)],
    );
    return row && { tenantId: row.tenant_id };
  },

  invoice: async (tenantId, id) => {
    const [row] = await query<InvoiceRow>(
      'invoice',
      `select ${invoiceColumns} from invoices i where i.tenant_id = $1 and i.id = $2`,
      [tenantId, id],
    );
    return row && represent(row);
  },

  invoices: async (tenantId, { status, customerId }: Filter, window) => {
    const { rows, ...others } = await list<InvoiceRow>(
      'invoices',
      invoiceColumns,
      present([
        ['i.tenant_id = ?', tenantId],
        ['i.status = ?', status],
        ['i.customer_id = ?', customerId],
      ]),
      window,
    );
    return { rows: rows.map(represent), ...others };
  },

  customer: async (tenantId, id) => {
    const sql = `select ${customerColumns} from customers where tenant_id = $1 and id = $2`;
    return (await query('customer', sql, [tenantId, id]))[0];
  },

  customers: (tenantId, { q }, window) => {
    const like = q && `%${q.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const conditions = present([
      ['i.tenant_id = ?', tenantId],
      ['i.search_text like ?', like], // which has an index
    ]);
    return list('customers', customerColumns, conditions, window);
  },

  receivables: async (tenantId, { country, per_page: limit }) => ({
    result: {
      rows: await query(
        'receivables',
        `select i.id, i.number, i.due_date, i.currency, i.total_gross - i.amount_paid as amount_due,
           json_build_object('company_name', c.company_name, 'country', c.country) as customer
         from invoices i join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
         where i.tenant_id = $1 and i.status = 'issued' and i.due_date < $2 and c.country = $3
         order by i.total_gross - i.amount_paid desc, i.id desc limit $4`,
        [tenantId, today(), country, limit],
      ),
    },
  }),

  totals: async (tenantId) => ({
    result: await query(
      'totals',
      `select status, to_char(invoice_date, 'YYYY-MM') as month, currency, count(*),
         json_build_object('total_net', sum(total_net), 'total_gross', sum(total_gross), 'amount_due', sum(
           case when status = 'cancelled' then 0 else total_gross - amount_paid end)) as sums
       from invoices where tenant_id = $1 group by 1, 2, 3 order by 1, 2, 3`,
      [tenantId],
    ),
  }),

  loadCustomers: (tenantId, customers) => loadCustomers(pool, tenantId, customers),

  createInvoice: async (tenantId, input) => {
    const now = new Date();
    const { lines, breakdown, net, vat, gross } = computeTotals(input.items);
    const items = lines.map((line) => ({
      id: newId(),
      ...line,
      unit: line.unit ?? null,
      vat_category: vatCategory(line.vat_rate),
      unit_code: unitCode(line.unit),
      ...otherItemFields,
    }));
    const invoice = {
      id: newId(),
      number: null,
      customer_id: input.customer_id,
      invoice_date: input.invoice_date,
      due_date: input.due_date,
      subject: input.subject,
      currency: 'EUR',
      status: 'draft',
      items,
      total_net: net,
      total_vat: vat,
      total_gross: gross,
      vat_breakdown: breakdown,
      amount_paid: 0,
      amount_due: gross,
      is_overdue: false,
      issued_at: null,
      paid_at: null,
      cancelled_at: null,
      ...otherInvoiceFields,
      created_at: formatTime(now),
      updated_at: formatTime(now),
    };
    await inTransaction(async (connection) => {
      await connection.query({
        name: 'insert invoice',
        text: `insert into invoices (tenant_id, id, customer_id, status, invoice_date, due_date, subject, currency,
            total_net, total_vat, total_gross, created_at, updated_at)
          select $1, id, customer_id, 'draft', invoice_date, due_date, subject, currency,
            total_net, total_vat, total_gross, $3, $3
          from json_to_record($2) as i(id uuid, customer_id uuid, invoice_date date, due_date date, subject text,
            currency text, total_net numeric, total_vat numeric, total_gross numeric)`,
        values: [tenantId, JSON.stringify({ ...invoice, items: undefined }), now],
      });
      await connection.query({
        name: 'insert items',
        text: `insert into invoice_items (tenant_id, invoice_id, id, position, title, quantity, unit, unit_price_net,
            vat_rate, line_total_net, vat_category, unit_code)
          select $1, $2, * from json_to_recordset($3) as l(id uuid, position int, title text, quantity numeric,
            unit text, unit_price_net numeric, vat_rate numeric, line_total_net numeric, vat_category text, unit_code text)`,
        values: [tenantId, invoice.id, JSON.stringify(items)],
      });
      await connection.query({
        name: 'insert event', // whose trigger adds the job
        text: `insert into events (tenant_id, id, type, resource_id, body, created_at)
          values ($1, $2, 'invoice.created', $3, $4, $5)`,
        values: [tenantId, newId(), invoice.id, eventBody(tenantId, formatTime(now), 'invoice', invoice), now],
      });
    });
    return invoice;
  },
});

async function inTransaction(work: (connection: PoolClient) => Promise<void>): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query('begin');
    await work(connection);
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback');
    throw error;
  } finally {
    connection.release();
  }
}
