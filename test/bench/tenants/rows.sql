-- The rows of the installation, each table by one statement, as the domain would have left them. Triggers are off meanwhile.
-- A row's values follow from its tenant and its place alone, so that tables can be filled at the same time.
--
-- Each statement begins at a line `-- table: name`, which test/bench/tenants/fill.ts reads.

-- table: tenants
insert into tenants (id, name, country, created_at)
select id, 'Tenant ' || rank, 'DE', started_at from making.tenants order by rank;

-- table: users
insert into users (id, name, email, created_at)
select making.id(1, rank, 0, started_at), 'User ' || rank, 'user' || rank || '@example.com', started_at from making.tenants;

-- table: memberships
insert into memberships (tenant_id, user_id, created_at)
select id, making.id(1, rank, 0, started_at), started_at from making.tenants;

-- table: companies
insert into companies (tenant_id, id, legal_name, address_line1, postal_code, city, country, vat_id, iban, created_at, updated_at)
select id, making.id(2, rank, 0, started_at), 'Tenant ' || rank || ' GmbH', 'Hauptstraße ' || rank, '24103', 'Kiel', 'DE',
  'DE' || 100000000 + rank, 'DE02120300000000202051', started_at, started_at
from making.tenants order by rank;

-- table: customers
insert into customers (
  tenant_id, id, type, company_name, email, address_line1, postal_code, city, country, vat_id, created_at, updated_at
)
select tenant.id, making.id(3, rank, place, time), case when place % 5 = 0 then 'supplier' else 'customer' end::customer_type,
  making.name(place) || ' ' || place, 'office' || place || '@company.example', 'Marktplatz ' || place % 200,
  (10000 + place % 90000)::text, making.city(place), 'DE', 'DE' || 100000000 + place, time, time
from making.tenants as tenant, generate_series(0, customers - 1) as place,
  lateral (select started_at + place * interval '1 second' as time) as moment
order by rank, place;

-- table: invoices
insert into invoices (
  tenant_id, id, customer_id, status, number, invoice_date, due_date, subject, currency, total_net, total_vat, total_gross,
  amount_paid, amount_credited, issued_at, paid_at, cancelled_at, overdue_at, version, created_at, updated_at
)
select tenant_id, id, customer_id, status, number, day, day + 14, 'Order ' || place || ', ' || making.title(hash), 'EUR',
  net, vat, net + vat,
  case status when 'paid' then net + vat else 0 end,
  case status when 'cancelled' then net + vat else 0 end,
  case when status <> 'draft' then time end,
  case status when 'paid' then settled_at end,
  case status when 'cancelled' then settled_at end,
  case when is_overdue then overdue_at end,
  case when status in ('paid', 'cancelled') or is_overdue then 2 else 1 end,
  time, case when status in ('paid', 'cancelled') then settled_at when is_overdue then overdue_at else time end
from making.documents order by rank, place;

-- table: invoice_items
insert into invoice_items (
  tenant_id, id, invoice_id, position, title, quantity, unit, unit_price_net, vat_rate, line_total_net
)
select tenant_id, making.id(4, rank, place * 4 + position, time), id, position, making.title(hash >> position),
  making.quantity(hash, position), 'h', making.price(hash, position), vat_rate,
  making.quantity(hash, position) * making.price(hash, position)
from making.documents, generate_series(1, lines) as position
order by rank, place, position;

-- table: invoice_sequences
insert into invoice_sequences (tenant_id, year, last)
select tenant_id, extract(year from day), count(*) from making.documents where status <> 'draft' group by 1, 2;

-- table: invoice_parties
insert into invoice_parties (tenant_id, id, seller, buyer)
select document.tenant_id, document.id, company.seller, customer.buyer
from making.documents as document
join (select tenant_id, to_jsonb(companies) as seller from companies) as company using (tenant_id)
join (select tenant_id, id, to_jsonb(customers) as buyer from customers) as customer
  on customer.tenant_id = document.tenant_id and customer.id = document.customer_id
where document.status <> 'draft';

-- table: credit_notes
insert into credit_notes (
  tenant_id, id, invoice_id, customer_id, number, credit_note_date, reason, is_cancellation, currency, total_net, total_vat,
  total_gross, vat_breakdown, created_at, updated_at
)
select tenant_id, credit_note_id, id, customer_id, credit_note_number, settled_at::date, 'Cancelled', true, 'EUR', net, vat,
  net + vat,
  jsonb_build_array(jsonb_build_object(
    'vat_category', 'S', 'vat_rate', vat_rate::text, 'net', net::text, 'vat', vat::text, 'exemption_reason', null
  )),
  settled_at, settled_at
from making.documents where status = 'cancelled' order by rank, place;

-- table: credit_note_items
insert into credit_note_items (
  tenant_id, id, credit_note_id, invoice_item_id, position, title, quantity, unit, unit_price_net, vat_rate, line_total_net,
  vat_category, unit_code
)
select tenant_id, making.id(6, rank, place * 4 + position, settled_at), credit_note_id,
  making.id(4, rank, place * 4 + position, time), position, making.title(hash >> position),
  making.quantity(hash, position), 'h', making.price(hash, position), vat_rate,
  making.quantity(hash, position) * making.price(hash, position), 'S', 'HUR'
from making.documents, generate_series(1, lines) as position where status = 'cancelled'
order by rank, place, position;

-- table: credit_note_sequences
insert into credit_note_sequences (tenant_id, year, last)
select tenant_id, extract(year from settled_at), count(*) from making.documents where status = 'cancelled' group by 1, 2;

-- table: invoice_files
-- A text in place of each PDF. Real ones would have about 30 KB.
insert into invoice_files (tenant_id, id, invoice_id, credit_note_id, format, sha256, bytes, created_at)
select tenant_id, making.id(case when is_credit_note then 14 else 7 end, rank, place, made_at), invoice_id, credit_note_id,
  'pdf', sha256(bytes), bytes, made_at
from making.proven, lateral (select convert_to('PDF of ' || number, 'UTF8') as bytes) as file
order by rank, position;

-- table: document_proofs
insert into document_proofs (tenant_id, id, position, invoice_id, credit_note_id, content, hash, created_at)
select tenant_id, making.id(case when is_credit_note then 15 else 8 end, rank, place, made_at), position, invoice_id,
  credit_note_id, content, making.chain(content) over (partition by rank order by position), made_at
from making.proven,
  lateral (
    select format('{"number":"%s","files":{"pdf":"%s"}}', number,
      encode(sha256(convert_to('PDF of ' || number, 'UTF8')), 'hex')) as content
  ) as proof;

-- table: unproven_documents
insert into unproven_documents (tenant_id, id, is_credit_note, year, number_length, number)
select tenant_id, id, false, extract(year from day), length(number), number
from making.documents where status <> 'draft' and not is_proven;

-- table: bank_transactions
insert into bank_transactions (
  tenant_id, id, account_iban, booking_date, amount, currency, counterparty_name, counterparty_iban, reference,
  match_status, amount_open, version, created_at, updated_at
)
select tenant_id, making.id(9, rank, place, settled_at), 'DE02120300000000202051', settled_at::date, net + vat, 'EUR',
  making.name(hash % 100000) || ' ' || hash % 1000, 'DE' || 10 + hash % 90 || '1203000000' || 10000000 + hash % 90000000,
  'Invoice ' || coalesce(number, place::text),
  case status when 'paid' then 'matched' when 'cancelled' then 'ignored' else 'unmatched' end::match_status,
  case status when 'paid' then 0 else net + vat end, case status when 'paid' then 2 else 1 end, settled_at, settled_at
from making.documents where status in ('paid', 'cancelled') or place % 20 = 0 order by rank, place;

-- table: receipts
insert into receipts (
  tenant_id, id, supplier_id, project_id, status, receipt_number, receipt_date, due_date, description, category, currency,
  amount_gross, vat_rate, vat_amount, amount_net, amount_paid, paid_at, version, created_at, updated_at
)
select tenant_id, id, supplier_id, project_id, status, 'R-' || place, time::date, time::date + 14, making.title(hash),
  making.category(hash), 'EUR', gross, 19, vat, gross - vat, case status when 'paid' then gross else 0 end,
  case status when 'paid' then time end, case status when 'draft' then 1 when 'booked' then 2 else 3 end, time, time
from making.receipts order by rank, place;

-- table: payments
insert into payments (
  tenant_id, id, invoice_id, receipt_id, bank_transaction_id, amount, currency, paid_on, created_at
)
select tenant_id, making.id(10, rank, place, settled_at), id, null::uuid, making.id(9, rank, place, settled_at), net + vat,
  'EUR', settled_at::date, settled_at
from making.documents where status = 'paid'
union all
select tenant_id, making.id(11, rank, place, time), null, id, null, gross, 'EUR', time::date, time
from making.receipts where status = 'paid';

-- table: projects
insert into projects (
  tenant_id, id, customer_id, name, status, hourly_rate_net, currency, budget_hours, start_date, created_at, updated_at
)
select tenant.id, making.id(12, rank, place, started_at), making.id(3, rank, customer, started_at + customer * interval '1 second'),
  making.title(place) || ' ' || place, (array['active', 'completed', 'archived'])[1 + place % 3]::project_status, 90, 'EUR',
  100 + place % 400, started_at::date, started_at, started_at
from making.tenants as tenant, generate_series(0, projects - 1) as place, lateral (select place % customers as customer) as buyer
order by rank, place;

-- table: time_entries
insert into time_entries (
  tenant_id, id, project_id, invoice_id, user_id, date, duration_minutes, description, billable, hourly_rate_net,
  created_at, updated_at
)
select document.tenant_id, making.id(13, rank, place, time), making.id(12, rank, place % projects, tenant.started_at),
  case when status = 'paid' then document.id end, making.id(1, rank, 0, tenant.started_at), day, 15 + hash % 465,
  making.title(hash), true, 90, time, time
from making.documents as document join making.tenants as tenant using (rank) where place % 5 = 0
order by rank, place;

-- table: webhooks
insert into webhooks (tenant_id, id, slot, url, events, secret, created_at, updated_at)
select id, webhook_id, 1, 'http://127.0.0.1:9/' || rank, '{*}', webhook_secret, started_at, started_at
from making.tenants where webhook_id is not null;

-- table: events
-- Those of the last 100 days: the clean-up deletes what is older than 90.
insert into events (tenant_id, id, type, resource_id, body, fanned_out_at, created_at)
select tenant_id, making.id(15 + kind, rank, place, at), type, id,
  format('{"event":"%s","tenant_id":"%s","created_at":"%s","data":{"invoice":%s}}', type, tenant_id,
    to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), json_build_object(
      'id', id, 'customer_id', customer_id, 'status', status, 'number', number, 'invoice_date', day, 'due_date', day + 14,
      'subject', 'Order ' || place, 'currency', 'EUR', 'total_net', net, 'total_vat', vat, 'total_gross', net + vat)),
  at, at
from making.events order by rank, place, kind;

-- table: deliveries
insert into deliveries (tenant_id, id, webhook_id, event_id, kind, state, attempt_count, created_at, finished_at)
select tenant_id, making.id(25 + kind, rank, place, at), webhook_id, making.id(15 + kind, rank, place, at), 'event',
  'delivered', 1, at, at
from making.events join making.tenants using (rank) where webhook_id is not null order by rank, place, kind;

-- table: delivery_attempts
insert into delivery_attempts (
  tenant_id, delivery_id, number, started_at, duration_ms, request_headers, status, response_headers, response_body
)
select tenant_id, making.id(25 + kind, rank, place, at), 1, at, 20,
  '{"content-type":"application/json","user-agent":"Kontor","x-service-attempt":"1"}', 200, '{"content-length":"0"}', ''
from making.events join making.tenants using (rank) where webhook_id is not null order by rank, place, kind;
