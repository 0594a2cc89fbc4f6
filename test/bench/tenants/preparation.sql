-- What rows.sql reads: functions, and the tables from which several tables of the books follow. Dropped afterwards.

/* A UUIDv7 of a time and, in place of random bits, of the kind of row, the tenant's rank, and the row's place. */
create function making.id(kind int, rank int, place int, made_at timestamptz) returns uuid language sql stable parallel safe
return (
  lpad(to_hex((extract(epoch from made_at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0')
  || '8' || lpad(to_hex(rank), 7, '0') || lpad(to_hex(place), 8, '0')
)::uuid;

create function making.quantity(hash int, line int) returns int language sql stable parallel safe
return 1 + ((hash >> (line * 3)) & 7);

create function making.price(hash int, line int) returns numeric language sql stable parallel safe
return (1000 + ((hash >> (line * 2)) & 8191)) / 100.0;

create function making.total(hash int, line int) returns numeric language sql stable parallel safe
return making.quantity(hash, line) * making.price(hash, line);

create function making.title(hash int) returns text language sql stable parallel safe
return (array['Layout', 'Consulting', 'Photography', 'Maintenance', 'Translation', 'Workshop'])[1 + hash % 6];

create function making.category(hash int) returns text language sql stable parallel safe
return (array['travel', 'office', 'software', 'rent'])[1 + hash % 4];

create function making.city(place int) returns text language sql stable parallel safe
return (array['Kiel', 'Lübeck', 'Bremen', 'Hamburg', 'Leipzig', 'Dresden', 'Bonn', 'Ulm'])[1 + place % 8];

create function making.name(place int) returns text language sql stable parallel safe
return (array['Bäckerei', 'Druckerei', 'Gärtnerei', 'Optik', 'Reisen', 'Technik', 'Verlag', 'Werkstatt'])[1 + place % 8]
  || ' ' || (array['Nord', 'Süd', 'Hafen', 'Berg', 'Wald', 'See', 'Stern', 'Licht', 'Feld', 'Stein', 'Rosen'])[1 + place % 11];

create function making.number(day date, count bigint) returns text language sql stable parallel safe
return extract(year from day) || '-' || case when count < 10000 then lpad(count::text, 4, '0') else count::text end;

/* The hash of each proof with the proof before (schema/resources/document/proofs.ts). */
create function making.link(before bytea, content text) returns bytea language sql stable
return sha256(before || convert_to(content, 'UTF8'));
create aggregate making.chain (text) (
  sfunc = making.link, stype = bytea, initcond = '\x0000000000000000000000000000000000000000000000000000000000000000'
);

alter table making.tenants
  add column started_at timestamptz not null default date_trunc('day', now()) - interval '900 days',
  add column customers int generated always as (5 + invoices / 10) stored,
  add column projects int generated always as (1 + invoices / 200) stored;
alter table making.tenants
  add column webhook_id uuid;
update making.tenants set webhook_id = making.id(40, rank, 0, started_at) where webhook_secret is not null;

/* The invoices. Drafts are the newest ones. Of the older ones, most are paid. */
create unlogged table making.documents as
select numbered.*, round(net * vat_rate / 100, 2) as vat,
  status = 'issued' and day + 14 < current_date - 1 as is_overdue, (day + 15)::timestamptz as overdue_at,
  case status when 'cancelled' then making.id(5, rank, place, settled_at) end as credit_note_id,
  case status when 'cancelled' then 'CN-' || making.number(settled_at::date, row_number() over (
    partition by rank, status, extract(year from settled_at) order by place
  )) end as credit_note_number
from (
  select base.*,
    making.id(3, rank, customer, started_at + customer * interval '1 second') as customer_id,
    2 + hash % 3 as lines, case when hash % 10 < 8 then 19 else 7 end as vat_rate,
    making.total(hash, 1) + making.total(hash, 2) + case when hash % 3 > 0 then making.total(hash, 3) else 0 end
      + case when hash % 3 > 1 then making.total(hash, 4) else 0 end as net,
    -- The newest have no proof yet, in one tenant of forty.
    rank % 40 <> 1 or from_end > drafts + 1 + invoices / 5000 as is_proven,
    least(time + interval '10 days', now()) as settled_at,
    case when status <> 'draft' then making.number(day, row_number() over (
      partition by rank, extract(year from day) order by place
    )) end as number
  from (
    select rank, invoices, id as tenant_id, started_at, place, hash, drafts, invoices - place as from_end, time, time::date as day,
      making.id(0, rank, place, time) as id,
      hash % customers as customer,
      case
        when invoices - place <= drafts then 'draft'
        when hash % 100 = 99 then 'cancelled'
        when hash % 100 < 3 or (place > invoices * 0.85 and hash % 100 < 60) then 'issued'
        else 'paid'
      end::invoice_status as status
    from making.tenants, least(1000, 1 + invoices / 20) as drafts, generate_series(0, invoices - 1) as place,
      lateral (
        select started_at + interval '1 day' + place * (interval '899 days' / invoices) as time,
          hashint8(place::bigint * 10007 + rank) & 2147483647 as hash
      ) as moment
  ) as base
) as numbered
order by rank, place;
analyze making.documents;

/* The documents that have a proof, in the order of their proofs. */
create unlogged table making.proven as
select *, row_number() over (partition by rank order by made_at, is_credit_note, place) as position
from (
  select tenant_id, rank, place, false as is_credit_note, id as invoice_id, null::uuid as credit_note_id, number, time as made_at
  from making.documents where status <> 'draft' and is_proven
  union all
  select tenant_id, rank, place, true, null, credit_note_id, credit_note_number, settled_at
  from making.documents where status = 'cancelled'
) as document;

create unlogged table making.receipts as
select id as tenant_id, rank, place, time, hash, making.id(20, rank, place, time) as id,
  making.id(3, rank, supplier, started_at + supplier * interval '1 second') as supplier_id,
  case when hash % 4 = 0 then making.id(12, rank, place % projects, started_at) end as project_id,
  case when hash % 10 = 0 then 'draft' when hash % 10 < 4 then 'booked' else 'paid' end::receipt_status as status,
  gross, round(gross * 19 / 119, 2) as vat
from making.tenants, generate_series(0, invoices / 5) as place,
  lateral (
    select started_at + interval '1 day' + place * (interval '899 days' / (invoices / 5 + 1)) as time,
      hashint8(place::bigint * 10009 + rank) & 2147483647 as hash
  ) as moment,
  lateral (select (100 + hash % 90000) / 100.0 as gross, (hash / 7 % ((customers + 4) / 5)) * 5 as supplier) as value
order by rank, place;

create unlogged table making.events as
select tenant_id, rank, place, id, customer_id, status, number, day, net, vat, kind, type, at
from making.documents, lateral (values
  (1, 'invoice.created', time, true),
  (2, 'invoice.issued', time, status <> 'draft'),
  (3, 'invoice.overdue', overdue_at, is_overdue),
  (4, 'invoice.payment_recorded', settled_at, status = 'paid'),
  (5, 'invoice.paid', settled_at, status = 'paid'),
  (6, 'invoice.cancelled', settled_at, status = 'cancelled')
) as event (kind, type, at, happened)
where happened and at > date_trunc('day', now()) - interval '100 days';
