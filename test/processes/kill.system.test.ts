import { it } from 'vitest';
import { killWorkers } from './kill-workers.ts';

// `npm run test:reliability` kills more of them.
it('each of 800 deliveries ends in a final state, with the same bytes at every attempt, while workers are killed 15 times', () =>
  killWorkers({ kills: 15, events: 200 }));
