-- The order of lists by company name, regardless of case and accents. It depends on no library's collation. The name itself is
-- there for index-only scans.
create index concurrently customers_company_name_words_idx on customers
  (tenant_id, search_fold(company_name) collate "C", id) include (company_name);
