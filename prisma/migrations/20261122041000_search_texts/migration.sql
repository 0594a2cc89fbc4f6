-- Searches find words whatever their case and accents. A row's searched fields are kept as one text, folded by the same
-- rule as the words (schema/search.ts), under one trigram index. PostgreSQL fills it in, for rows of before too, so a
-- process of the version before can go on writing.

-- What a text is compared by: small letters without accents. Composed and decomposed letters are the same then. The
-- letters that Unicode doesn't decompose (ø, ł, ß, …) are named one by one.
create function search_fold(value text) returns text language sql immutable strict parallel safe
return case
  when octet_length(value) = char_length(value) then lower(value) -- ASCII, as most are
  else replace(replace(replace(replace(
    translate(
      lower(normalize(regexp_replace(normalize(value, nfd), '[\u0300-\u036f]', '', 'g'), nfc)),
      'ØøŁłĐđÐðĦħŦŧıÆŒÞẞς', 'oollddddhhttiæœþßσ'
    ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
end;

-- A field of a search text: on a line of its own, which it doesn't break.
create function search_line(value text) returns text language sql immutable parallel safe
return search_fold(translate(coalesce(value, ''), E'\n', ' '));

-- AlterTable
alter table customers add column search_text text generated always as (
  search_line(company_name) || E'\n' || search_line(email) || E'\n' || search_line(city) || E'\n' || search_line(vat_id)
) stored;
alter table invoices add column search_text text generated always as (
  search_line(number) || E'\n' || search_line(subject)
) stored;
alter table receipts add column search_text text generated always as (
  search_line(receipt_number) || E'\n' || search_line(description)
) stored;
alter table projects add column search_text text generated always as (search_line(name)) stored;
alter table bank_transactions add column search_text text generated always as (
  search_line(counterparty_name) || E'\n' || search_line(counterparty_iban) || E'\n' || search_line(reference)
) stored;

-- DropIndex
drop index customers_search_idx, invoices_search_idx, receipts_search_idx, projects_search_idx, bank_transactions_search_idx;

-- CreateIndex
create index customers_search_idx on customers using gin (tenant_id uuid_ops, search_text gin_trgm_ops)
  with (fastupdate = off);
create index invoices_search_idx on invoices using gin (tenant_id uuid_ops, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index receipts_search_idx on receipts using gin (tenant_id uuid_ops, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index projects_search_idx on projects using gin (tenant_id uuid_ops, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index bank_transactions_search_idx on bank_transactions using gin (tenant_id uuid_ops, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
