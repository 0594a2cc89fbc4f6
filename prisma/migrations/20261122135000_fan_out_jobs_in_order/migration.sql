-- Jobs keep the order of their events. graphile-worker's add_jobs joins the jobs with their tasks. For more than a few
-- jobs, PostgreSQL would choose a hash join, which returns them in reverse.
alter function add_fan_out_jobs() set enable_hashjoin = off;
