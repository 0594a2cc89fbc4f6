-- PostgreSQL counts the rows of each tenant when a tenth of a table has changed. All rows of a new tenant may be less than that. Until
-- it has counted them it believes that there is one, and reads all of them where it needs a few. So it counts after a hundredth.
alter table customers set (autovacuum_analyze_scale_factor = 0.01);
alter table invoices set (autovacuum_analyze_scale_factor = 0.01);
alter table invoice_items set (autovacuum_analyze_scale_factor = 0.01);
alter table invoice_parties set (autovacuum_analyze_scale_factor = 0.01);
alter table credit_notes set (autovacuum_analyze_scale_factor = 0.01);
alter table credit_note_items set (autovacuum_analyze_scale_factor = 0.01);
alter table payments set (autovacuum_analyze_scale_factor = 0.01);
alter table receipts set (autovacuum_analyze_scale_factor = 0.01);
alter table receipt_lines set (autovacuum_analyze_scale_factor = 0.01);
alter table projects set (autovacuum_analyze_scale_factor = 0.01);
alter table time_entries set (autovacuum_analyze_scale_factor = 0.01);
alter table bank_transactions set (autovacuum_analyze_scale_factor = 0.01);
alter table changes set (autovacuum_analyze_scale_factor = 0.01);
alter table audit_entries set (autovacuum_analyze_scale_factor = 0.01);
