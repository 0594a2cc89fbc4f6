import { expect } from 'vitest';
import { camt, imported, many } from '../../bank/statement.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const entries = size('ENTRIES', { suite: 2000, full: 50_000 });

const attack: Attack = {
  title: `bank statements of ${entries} entries, which a new tenant imports at once`,
  memoryGrowth: 400,
  prepare: async (served, attacker) => {
    const all = many(entries);
    // Two overlap, and the last is small.
    const files = [all, all.slice(entries / 2), [{ amount: '7.00' }]].map((each) => camt(each));
    return async () => {
      const results = await Promise.all(files.map((file) => imported(served, attacker, file)));
      expect(results.reduce((sum, result) => sum + result.imported, 0)).toBe(entries + 1);
    };
  },
};
export default attack;
