-- Whether the books are distributed over several servers by Citus: `kontor distribute` replaces this function by one that
-- answers true. Triggers ask it, and so do processes when they start (prisma/distributed.ts).
create function is_distributed() returns boolean language sql immutable parallel safe as 'select false';
