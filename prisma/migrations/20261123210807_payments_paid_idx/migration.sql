-- payments_dated_idx has its columns and the id.

drop index payments_paid_idx;
