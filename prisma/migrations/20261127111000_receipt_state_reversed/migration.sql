-- By itself: a new value can only be used after its transaction.
alter type receipt_status add value 'reversed';
