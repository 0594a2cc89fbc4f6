-- Receipts hold what a document says (schema/DECISIONS.md#d145-receipt-lines): lines, credits, and what was prepaid. A receipt
-- whose own columns say all of its one line has no rows here, as those from before.
create table receipt_lines (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  receipt_id uuid not null,
  position integer not null,
  description text,
  account text,
  vat_category text not null,
  vat_rate numeric(5, 2) not null,
  deductible_percent numeric(5, 2) not null default 100,
  amount_net numeric(19, 4) not null,
  vat_amount numeric(19, 4) not null,
  amount_gross numeric(19, 4) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, receipt_id) references receipts on delete cascade,
  constraint receipt_lines_gross_is_net_and_vat check (amount_gross = amount_net + vat_amount),
  constraint receipt_lines_vat_rate_percent check (vat_rate between 0 and 100),
  constraint receipt_lines_deductible_percent check (deductible_percent between 0 and 100),
  constraint receipt_lines_vat_category_known check (vat_category in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'IMPORT')),
  constraint receipt_lines_rate_by_vat_category
    check (vat_category in ('AE', 'K', 'IMPORT') or (vat_category = 'S') = (vat_rate > 0)),
  constraint receipt_lines_vat_by_vat_category
    check (case vat_category when 'S' then true when 'IMPORT' then amount_net = 0 else vat_amount = 0 end)
);
create unique index receipt_lines_tenant_id_receipt_id_position_key on receipt_lines (tenant_id, receipt_id, position);
select isolate('receipt_lines');
select audit_lines('receipt_lines', 'receipt_lines', 'receipt_id');

alter table receipts
  add column service_date date,
  add column received_on date,
  add column credited_receipt_id uuid,
  add column amount_prepaid numeric(19, 4) not null default 0,
  add column amount_payable numeric(19, 4) not null generated always as (amount_gross - amount_prepaid) stored,
  alter column vat_rate drop not null,
  alter column vat_rate drop default,
  add constraint receipts_tenant_id_credited_receipt_id_fkey
    foreign key (tenant_id, credited_receipt_id) references receipts on delete restrict,
  add constraint receipts_sign check (
    case when (reversal_of is null) = (credited_receipt_id is null) then amount_gross >= 0 else amount_gross <= 0 end
  ),
  add constraint receipts_prepaid_within_total
    check (amount_prepaid between least(amount_gross, 0) and greatest(amount_gross, 0)),
  add constraint receipts_reversal_unpaid check (reversal_of is null or amount_paid = 0),
  drop constraint receipts_reversal_negative,
  drop constraint receipts_paid_within_total,
  add constraint receipts_paid_within_total check (
    reversal_of is not null
    or amount_paid between least(amount_gross - amount_prepaid, 0) and greatest(amount_gross - amount_prepaid, 0)
  ),
  drop constraint receipts_paid_when_settled,
  add constraint receipts_paid_when_settled check (status <> 'paid' or amount_paid = amount_gross - amount_prepaid);
create index on receipts (tenant_id, credited_receipt_id);

-- A payment has the sign of its receipt. That of a reversal is the opposite.
alter table payments
  drop constraint payments_negative_when_reversal,
  add constraint payments_negative_when_reversal check (
    case when receipt_id is not null then amount <> 0 when reversal_of is null then amount > 0 else amount < 0 end
  );

drop trigger refuse_change_of_booked on receipts;
create trigger refuse_change_of_booked before update on receipts for each row when (
  old.status <> 'draft' and current_user = 'kontor_books' and (
    old.status = 'reversed' or new.status = 'draft' or (
      old.supplier_id, old.project_id, old.receipt_number, old.receipt_date, old.due_date, old.description, old.category,
      old.currency, old.amount_gross, old.vat_rate, old.vat_amount, old.amount_net, old.reversal_of, old.service_date,
      old.received_on, old.credited_receipt_id, old.amount_prepaid
    ) is distinct from (
      new.supplier_id, new.project_id, new.receipt_number, new.receipt_date, new.due_date, new.description, new.category,
      new.currency, new.amount_gross, new.vat_rate, new.vat_amount, new.amount_net, new.reversal_of, new.service_date,
      new.received_on, new.credited_receipt_id, new.amount_prepaid
    )
  )
) execute function refuse_change_of_booked_receipt();

-- The lines of a booked receipt stay, too. As with invoices, only the transaction that wrote a booked receipt adds lines to it.
create function refuse_lines_of_booked_receipts() returns trigger language plpgsql stable as $$
declare
  line record;
  checked uuid;
begin
  for line in select tenant_id, receipt_id from changed_lines loop
    continue when line.receipt_id = checked;
    checked := line.receipt_id;
    if exists (
      select from receipts where tenant_id = line.tenant_id and id = line.receipt_id and status <> 'draft'
        and (tg_op <> 'INSERT' or age(xmin) > 0)
    ) then
      raise exception 'Receipt % is booked: its lines can not change', line.receipt_id;
    end if;
  end loop;
  return null;
end
$$;
create trigger refuse_added_lines after insert on receipt_lines referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();
create trigger refuse_deleted_lines after delete on receipt_lines referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();
create trigger refuse_changed_lines after update on receipt_lines referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();
create trigger refuse_moved_lines after update on receipt_lines referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();
