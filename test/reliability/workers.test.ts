import { it } from 'vitest';
import { killWorkers } from '../processes/kill-workers.ts';

it('of 2,000 deliveries, with workers killed 50 times, each is delivered or in a recorded final state, its bytes the same on every attempt', () =>
  killWorkers({ kills: 50, events: 500 }));
