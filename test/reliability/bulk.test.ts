import { it } from 'vitest';
import { killBulk } from '../bulk/kill-bulk.ts';

const kills = Number(process.env['BULK_KILLS'] ?? 100);

it(`each line of bulk operations is done once, with one event and one entry of the log, while the server and workers are killed ${kills} times`, () =>
  killBulk({ kills, lines: 1000 }));
