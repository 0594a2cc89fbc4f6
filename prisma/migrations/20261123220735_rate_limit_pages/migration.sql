-- Counting a request rewrote the times of all requests of a minute. Now their times are in pages of 64, and a request writes
-- one page and the row of its identity, both of bounded size. Processes of the previous version go on counting in `hits`.

-- AlterTable
ALTER TABLE "rate_limits" ADD COLUMN "first" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "next" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "last_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE UNLOGGED TABLE "rate_limit_pages" (
    "identity" TEXT NOT NULL,
    "page" BIGINT NOT NULL,
    "times" TIMESTAMPTZ(6)[],

    CONSTRAINT "rate_limit_pages_pkey" PRIMARY KEY ("identity","page")
) WITH (fillfactor = 50);

-- AddForeignKey
ALTER TABLE "rate_limit_pages" ADD CONSTRAINT "rate_limit_pages_identity_fkey" FOREIGN KEY ("identity") REFERENCES "rate_limits"("identity") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Room for the next version of a row on the same page: no index is written then, and the space is used again at once.
alter table rate_limits set (fillfactor = 50);

-- Counts a request of an identity, unless `most` were admitted in the last `window_ms`. Requests have numbers: those from
-- `first` to before `next` count. `earlier` is how many that were before this one; `next_free_in_ms` is how long it takes until
-- the oldest stops counting, or after a refusal, until a request can be admitted.
create function count_request(key text, most int, window_ms float8, out earlier int, out next_free_in_ms float8)
language plpgsql as $$
declare
  size constant int := 64;
  counted rate_limits;
  page_times timestamptz[];
  time timestamptz;
  horizon timestamptz;
  forgotten bigint;
  oldest bigint;
begin
  loop
    select * into counted from rate_limits where identity = key for update;
    exit when found;
    insert into rate_limits (identity) values (key) on conflict (identity) do nothing;
  end loop;
  -- While the row is locked: requests are serialized, and each has the time at which it got the lock.
  time := clock_timestamp();
  horizon := time - make_interval(secs => window_ms / 1000);
  if counted.last_at > time then
    -- The clock was set back. Times in the future are moved to the present, so that no wait exceeds the window.
    update rate_limit_pages set times = array(
      select least(each, time) from unnest(times) with ordinality as moved (each, at) order by at
    ) where identity = key;
    counted.last_at := time;
  end if;

  forgotten := counted.first;
  if counted.last_at <= horizon then
    forgotten := counted.next;
  end if;
  while forgotten < counted.next loop
    if page_times is null or forgotten % size = 0 then
      select times into page_times from rate_limit_pages where identity = key and page = forgotten / size;
    end if;
    exit when page_times[forgotten % size + 1] > horizon;
    forgotten := forgotten + 1;
  end loop;

  earlier := counted.next - forgotten;
  oldest := forgotten + greatest(earlier - most, 0);
  if earlier < most then
    if counted.next % size = 0 then
      delete from rate_limit_pages where identity = key and page < forgotten / size;
      insert into rate_limit_pages (identity, page, times) values (key, counted.next / size, array[time])
      on conflict (identity, page) do update set times = excluded.times;
    else
      update rate_limit_pages set times = times[1:counted.next % size] || time
      where identity = key and page = counted.next / size;
    end if;
    update rate_limits set first = forgotten, next = counted.next + 1, last_at = time where identity = key;
  elsif forgotten > counted.first then
    update rate_limits set first = forgotten where identity = key;
  end if;

  select extract(epoch from times[oldest % size + 1] - time) * 1000 + window_ms into next_free_in_ms
  from rate_limit_pages where identity = key and page = oldest / size;
end
$$;
revoke all on function count_request from public;
