import { expect } from 'vitest';
import { untilEnded, upload } from '../../bulk/operations.ts';
import * as sample from '../../rest/samples.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const operations = size('OPERATIONS', { suite: 1, full: 30 });
/** So many that statistics are gathered after each. */
const lines = size('LINES', { suite: 5000, full: 10_000 });

const attack: Attack = {
  title: `bulk operations of ${lines} lines, one after the other, with statistics after each`,
  works: true,
  memoryGrowth: 400,
  prepare: async (_served, attacker) => {
    const body = Array.from({ length: lines }, () => sample.customer);
    return async () => {
      for (let count = 0; count < operations; count += 1) {
        const { body: started } = await upload(attacker, { resource: 'customers', action: 'create' }, body);
        expect(await untilEnded(attacker, started.data.id)).toMatchObject({ status: 'completed' });
      }
    };
  },
};
export default attack;
