-- A session keeps the plan that it made for its first statement, mostly of one delivery. A nested loop, which is best for one, compares
-- each delivery of a later statement with each other one. Without it, the former rows are found by a hash.
alter function announce_deliveries() set enable_nestloop = off;
