-- A booked receipt stays as it is (schema/DECISIONS.md#d138-reversed-receipts). Whoever takes it back adds one with the opposite
-- amounts.
alter table receipts
  add column reversal_of uuid,
  add column reason text,
  add column reversed_at timestamptz(3),
  add constraint receipts_tenant_id_reversal_of_fkey foreign key (tenant_id, reversal_of) references receipts on delete restrict,
  add constraint receipts_reversed_pair
    check ((status = 'reversed') = (reversed_at is not null or reversal_of is not null) and (reversed_at is null or reversal_of is null)),
  add constraint receipts_reversal_negative check (reversal_of is null or (amount_gross <= 0 and amount_paid = 0)),
  add constraint receipts_reason_of_reversal check (reason is null or status = 'reversed'),
  drop constraint receipts_paid_within_total,
  add constraint receipts_paid_within_total check (reversal_of is not null or amount_paid between 0 and amount_gross);
create unique index receipts_tenant_id_reversal_of_key on receipts (tenant_id, reversal_of);

-- The service can neither delete a booked receipt nor change what it says. Whoever deletes a tenant can.
create function refuse_change_of_booked_receipt() returns trigger language plpgsql as $$
begin
  raise exception 'Receipt % is booked: it can not change', old.id;
end
$$;
create trigger refuse_change_of_booked before update on receipts for each row when (
  old.status <> 'draft' and current_user = 'kontor_books' and (
    old.status = 'reversed' or new.status = 'draft' or (
      old.supplier_id, old.project_id, old.receipt_number, old.receipt_date, old.due_date, old.description, old.category,
      old.currency, old.amount_gross, old.vat_rate, old.vat_amount, old.amount_net, old.reversal_of
    ) is distinct from (
      new.supplier_id, new.project_id, new.receipt_number, new.receipt_date, new.due_date, new.description, new.category,
      new.currency, new.amount_gross, new.vat_rate, new.vat_amount, new.amount_net, new.reversal_of
    )
  )
) execute function refuse_change_of_booked_receipt();
create trigger refuse_deletion_of_booked before delete on receipts for each row
  when (old.status <> 'draft' and current_user = 'kontor_books') execute function refuse_change_of_booked_receipt();

-- In the feed, a reversed receipt is deleted, and the receipt that reverses it was never there.
create or replace function record_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  row_id uuid := case tg_op when 'DELETE' then old.id else new.id end;
  is_deleted boolean := tg_op = 'DELETE';
begin
  if tg_argv[0] = 'project' then
    perform lock_project_changes(tenant);
  elsif tg_argv[0] = 'receipt' and not is_deleted then
    if new.reversal_of is not null then
      return null;
    end if;
    is_deleted := new.status = 'reversed';
  end if;
  insert into changes (tenant_id, resource, id, position, deleted, changed_at)
  values (tenant, tg_argv[0], row_id, next_change_position(tenant), is_deleted, clock_timestamp())
  on conflict (tenant_id, resource, id) do update
    set position = excluded.position, deleted = excluded.deleted, changed_at = excluded.changed_at;
  if is_watched(tenant, 'changes') then
    perform announce(tenant, 'changes', tg_argv[0]);
  end if;
  return null;
end
$$;
