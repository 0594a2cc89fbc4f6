-- Payments are a ledger (schema/DECISIONS.md#d137-payments-ledger): undoing one adds a row with the opposite amount.
alter table payments
  add column reversal_of uuid,
  add column reason text,
  add column user_id uuid,
  add column reversed_at timestamptz(3),
  add column version integer not null default 1,
  add column updated_at timestamptz(3) not null default current_timestamp,
  add constraint payments_tenant_id_reversal_of_fkey foreign key (tenant_id, reversal_of) references payments on delete restrict,
  add constraint payments_negative_when_reversal check (case when reversal_of is null then amount > 0 else amount < 0 end),
  add constraint payments_reason_of_reversal
    check (reversal_of is not null or reversed_at is not null or (reason is null and user_id is null)),
  add constraint payments_reversal_stays check (reversal_of is null or reversed_at is null),
  drop constraint payments_positive;
create unique index payments_tenant_id_reversal_of_key on payments (tenant_id, reversal_of);
create index on payments (tenant_id, updated_at);

-- The service can neither delete a payment nor change what it says. Whoever deletes a tenant can.
create function refuse_change_of_payment() returns trigger language plpgsql as $$
begin
  raise exception 'A payment can not change';
end
$$;
create trigger refuse_update before update on payments for each row
  when (old.reversed_at is not null or old.reversal_of is not null or new.reversal_of is not null or (
    old.invoice_id, old.receipt_id, old.credit_note_id, old.bank_transaction_id, old.amount, old.currency, old.paid_on,
    old.created_at
  ) is distinct from (
    new.invoice_id, new.receipt_id, new.credit_note_id, new.bank_transaction_id, new.amount, new.currency, new.paid_on,
    new.created_at
  )) execute function refuse_change_of_payment();
create trigger refuse_deletion before delete on payments for each row
  when (current_user = 'kontor_books') execute function refuse_change_of_payment();

select count_rows('payments');
select track_changes('payments', 'payment');
create trigger count_version before update on payments for each row execute function count_version();

-- Those that are there already. The owner has no tenant.
alter table payments no force row level security;
alter table row_counts no force row level security;
alter table changes no force row level security;
do $$
declare
  old record;
begin
  for old in select tenant_id, count(*) as rows from payments group by tenant_id loop
    insert into row_counts (tenant_id, resource, state, rows) values (old.tenant_id, 'payments', '', old.rows);
  end loop;
  for old in select tenant_id, id from payments order by tenant_id, id loop
    insert into changes (tenant_id, resource, id, position, deleted, changed_at)
    values (old.tenant_id, 'payment', old.id, next_change_position(old.tenant_id), false, clock_timestamp());
  end loop;
end
$$;
alter table payments force row level security;
alter table row_counts force row level security;
alter table changes force row level security;
