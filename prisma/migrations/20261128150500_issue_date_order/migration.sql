-- Whether a document may be dated before the last issued one of its series (schema/DECISIONS.md#d134-days). Null is `warn`: the
-- profile that an invoice was issued with is in its proof, which leaves out nulls.
create type issue_date_order as enum ('warn', 'refuse');
alter table companies add column issue_date_order issue_date_order;
