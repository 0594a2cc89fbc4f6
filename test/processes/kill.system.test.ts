import { it } from 'vitest';
import { killWorkers } from './kill-workers.ts';

// `npm run test:reliability` kills more of them.
it('of 800 deliveries, with workers killed 15 times, each is delivered or in a recorded final state, its bytes the same on every attempt', () =>
  killWorkers({ kills: 15, events: 200 }));
