-- Row counts, as they were, but a statement names either a transition table or a table of the books: Citus runs the statement
-- elsewhere, where there are no transition tables. Nor does Citus accept an INSERT that reads from a DELETE.

create or replace function add_up_tallies() returns trigger language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
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

-- For every migration that makes a table whose rows a list counts: select tally('quotes', 'status').
create or replace function tally(books regclass, state text default null) returns void language plpgsql as $outer$
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

select define_tally(name, state) from (values
  ('customers', 'type'), ('invoices', 'status'), ('receipts', 'status'), ('projects', 'status'),
  ('time_entries', null), ('bank_transactions', 'match_status')
) as counted (name, state);
