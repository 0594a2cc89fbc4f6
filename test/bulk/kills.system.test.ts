import { it } from 'vitest';
import { killBulk } from './kill-bulk.ts';

// The long form is test/reliability/bulk.test.ts.
it(
  'each line of bulk operations is done once, with one event and one entry of the log, while the server and workers are killed',
  () => killBulk({ kills: 8, lines: 250 }),
  300_000,
);
