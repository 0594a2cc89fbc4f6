import { it } from 'vitest';
import { killWorkers } from '../processes/kill-workers.ts';

it('each of 2,000 deliveries is delivered or recorded as failed, with the same bytes on every attempt, while workers are killed 50 times', () =>
  killWorkers({ kills: 50, events: 500 }));
