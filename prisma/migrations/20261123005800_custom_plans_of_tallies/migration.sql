-- Citus can't plan the statement of this function for all tenants at once, which PostgreSQL tries at its sixth run.
alter function add_up_tallies() set plan_cache_mode = force_custom_plan;
