-- Turns a database that has the baseline into one as the migrations from before it had made it. `migrate` upgrades such a
-- database (prisma/before-baseline.ts).

alter table rate_limits add column hits timestamptz(6)[];

alter table stored_responses rename column response to answer;
alter table stored_responses rename to stored_answers;
alter index stored_responses_pkey rename to stored_answers_pkey;
alter index stored_responses_tenant_id_created_at_idx rename to stored_answers_tenant_id_created_at_idx;

drop trigger count_added_rows on customers;
drop trigger count_removed_rows on customers;
drop trigger count_moved_rows on customers;
drop function count_rows_of_customers();
drop function count_moved_rows_of_customers();
drop trigger count_added_rows on invoices;
drop trigger count_removed_rows on invoices;
drop trigger count_moved_rows on invoices;
drop function count_rows_of_invoices();
drop function count_moved_rows_of_invoices();
drop trigger count_added_rows on receipts;
drop trigger count_removed_rows on receipts;
drop trigger count_moved_rows on receipts;
drop function count_rows_of_receipts();
drop function count_moved_rows_of_receipts();
drop trigger count_added_rows on projects;
drop trigger count_removed_rows on projects;
drop trigger count_moved_rows on projects;
drop function count_rows_of_projects();
drop function count_moved_rows_of_projects();
drop trigger count_added_rows on bank_transactions;
drop trigger count_removed_rows on bank_transactions;
drop trigger count_moved_rows on bank_transactions;
drop function count_rows_of_bank_transactions();
drop function count_moved_rows_of_bank_transactions();
drop trigger count_added_rows on credit_notes;
drop trigger count_removed_rows on credit_notes;
drop function count_rows_of_credit_notes();
drop trigger count_added_rows on time_entries;
drop trigger count_removed_rows on time_entries;
drop function count_rows_of_time_entries();
drop trigger sum_row_counts on row_counts;
drop function sum_row_counts();
drop function count_rows(regclass, text);
alter table row_counts rename to tallies;
alter index row_counts_pkey rename to tallies_pkey;
alter sequence row_counts_id_seq rename to tallies_id_seq;

create function add_up_tallies() returns trigger language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_custom_plan as $$
declare
  total record;
begin
  for total in
    with gone as (
      delete from tallies where tenant_id = new.tenant_id and resource = new.resource and id = any (array(
        select id from tallies where tenant_id = new.tenant_id and resource = new.resource for update skip locked
      )) returning state, rows
    )
    select state, sum(rows) as rows from gone group by state having sum(rows) <> 0
  loop
    insert into tallies (tenant_id, resource, state, rows)
    values (new.tenant_id, new.resource, total.state, total.rows);
  end loop;
  return null;
end
$$;

create trigger add_up_tallies after insert on tallies for each row
  when (random() < 0.02 and pg_trigger_depth() < 2) execute function add_up_tallies();

create function define_tally(resource text, state text) returns void language plpgsql as $outer$
begin
  -- By statement: an import of 100,000 rows is a tally for each state.
  execute format($f$
    create or replace function tally_%1$s() returns trigger language plpgsql as $$
    declare
      counted record;
    begin
      if tg_op = 'INSERT' then
        for counted in select tenant_id, %2$s as state, count(*) as rows from added group by 1, 2 loop
          insert into tallies (tenant_id, resource, state, rows)
          values (counted.tenant_id, %1$L, counted.state, counted.rows);
        end loop;
      else
        for counted in select tenant_id, %2$s as state, count(*) as rows from removed group by 1, 2 loop
          insert into tallies (tenant_id, resource, state, rows)
          values (counted.tenant_id, %1$L, counted.state, -counted.rows);
        end loop;
      end if;
      return null;
    end
    $$
  $f$, resource, coalesce(quote_ident(state) || '::text', quote_literal('')));
end
$outer$;
revoke all on function define_tally from public;

create function tally(books regclass, state text default null) returns void language plpgsql as $outer$
declare
  resource text := (select relname from pg_class where oid = books);
begin
  perform define_tally(resource, state);
  execute format('create trigger tally_added after insert on %s referencing new table as added
    for each statement execute function tally_%s()', books, resource);
  execute format('create trigger tally_removed after delete on %s referencing old table as removed
    for each statement execute function tally_%s()', books, resource);
  if state is null then return; end if;

  -- By row: most changes are not of the state, and then cost nothing.
  execute format($f$
    create function tally_%1$s_moved() returns trigger language plpgsql as $$
    begin
      insert into tallies (tenant_id, resource, state, rows)
      values (old.tenant_id, %1$L, old.%2$I::text, -1), (new.tenant_id, %1$L, new.%2$I::text, 1);
      return null;
    end
    $$
  $f$, resource, state);
  execute format('create trigger tally_moved after update of %1$I on %2$s for each row
    when (old.%1$I <> new.%1$I) execute function tally_%3$s_moved()', state, books, resource);
end
$outer$;
revoke all on function tally from public;

select tally('customers', 'type');
select tally('invoices', 'status');
select tally('receipts', 'status');
select tally('projects', 'status');
select tally('bank_transactions', 'match_status');
select tally('credit_notes');
select tally('time_entries');

drop function isolate(regclass);
create function isolate(books regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', books);
  -- Stable, so that it is computed once per statement, and an index finds the rows. Without a tenant: none.
  execute format(
    'create policy tenant on %s to kontor_books
      using (tenant_id = nullif(current_setting(''kontor.tenant_id'', true), '''')::uuid)',
    books
  );
  execute format('grant select, insert, update, delete on %s to kontor_books', books);
end
$$;
revoke all on function isolate from public;

drop function track_changes(regclass, text);
create function track_changes(books regclass, resource text) returns void language plpgsql as $$
begin
  execute format('create constraint trigger record_change after insert or update or delete on %s
    deferrable initially deferred for each row execute function record_change(%L)', books, resource);
end
$$;
revoke all on function track_changes from public;

drop trigger refuse_change_of_issued on invoices;
create trigger refuse_change_of_issued before update on invoices for each row when (
  old.number is not null and current_user = 'kontor_books' and (
    old.number, old.customer_id, old.invoice_date, old.due_date, old.subject, old.currency,
    old.total_net, old.total_vat, old.total_gross, old.issued_at
  ) is distinct from (
    new.number, new.customer_id, new.invoice_date, new.due_date, new.subject, new.currency,
    new.total_net, new.total_vat, new.total_gross, new.issued_at
  )
) execute function refuse_change_of_issued_invoice();
create trigger refuse_change_of_delivery_date before update on invoices for each row when (
  old.number is not null and current_user = 'kontor_books' and old.delivery_date is distinct from new.delivery_date
) execute function refuse_change_of_issued_invoice();

drop function count_requests(text, int, int, float8);
create function count_request(key text, most int, window_ms float8, out earlier int, out next_free_in_ms float8)
language plpgsql as $$
declare
  size constant int := 64;
  counted rate_limits;
  page_times timestamptz[];
  time timestamptz;
  horizon timestamptz;
  forgotten bigint;
  oldest bigint;
begin
  loop
    select * into counted from rate_limits where identity = key for update;
    exit when found;
    insert into rate_limits (identity) values (key) on conflict (identity) do nothing;
  end loop;
  -- While the row is locked: requests are serialized, and each has the time at which it got the lock.
  time := clock_timestamp();
  horizon := time - make_interval(secs => window_ms / 1000);
  if counted.last_at > time then
    -- The clock was set back. Times in the future are moved to the present, so that no wait exceeds the window.
    update rate_limit_pages set times = array(
      select least(each, time) from unnest(times) with ordinality as moved (each, at) order by at
    ) where identity = key;
    counted.last_at := time;
  end if;

  forgotten := counted.first;
  if counted.last_at <= horizon then
    forgotten := counted.next;
  end if;
  while forgotten < counted.next loop
    if page_times is null or forgotten % size = 0 then
      select times into page_times from rate_limit_pages where identity = key and page = forgotten / size;
    end if;
    exit when page_times[forgotten % size + 1] > horizon;
    forgotten := forgotten + 1;
  end loop;

  earlier := counted.next - forgotten;
  oldest := forgotten + greatest(earlier - most, 0);
  if earlier < most then
    if counted.next % size = 0 then
      delete from rate_limit_pages where identity = key and page < forgotten / size;
      insert into rate_limit_pages (identity, page, times) values (key, counted.next / size, array[time])
      on conflict (identity, page) do update set times = excluded.times;
    else
      update rate_limit_pages set times = times[1:counted.next % size] || time
      where identity = key and page = counted.next / size;
    end if;
    update rate_limits set first = forgotten, next = counted.next + 1, last_at = time where identity = key;
  elsif forgotten > counted.first then
    update rate_limits set first = forgotten where identity = key;
  end if;

  select extract(epoch from times[oldest % size + 1] - time) * 1000 + window_ms into next_free_in_ms
  from rate_limit_pages where identity = key and page = oldest / size;
end
$$;
revoke all on function count_request from public;
