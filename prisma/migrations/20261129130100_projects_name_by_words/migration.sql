-- The order of lists by name, regardless of case and accents: see customers_company_name_words_idx.
create index concurrently projects_name_words_idx on projects
  (tenant_id, search_fold(name) collate "C", id) include (name);
