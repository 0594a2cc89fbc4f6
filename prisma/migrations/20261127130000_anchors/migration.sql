-- The signed heads of each tenant's chains (schema/DECISIONS.md#d144-anchors). A day has at most one.
create table anchors (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  day date not null,
  content text not null,
  public_key bytea not null,
  signature bytea not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index anchors_tenant_id_day_key on anchors (tenant_id, day);
select isolate('anchors');
revoke update, delete on anchors from kontor_books;

create function refuse_change_of_anchor() returns trigger language plpgsql as $$
begin
  raise exception 'An anchor can not change';
end
$$;
create trigger refuse_change before update or delete on anchors for each row execute function refuse_change_of_anchor();
