import { expect } from 'vitest';
import { request, send } from '../../mcp/client.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 100;

const attack: Attack = {
  title: `${atOnce} requests at once for the list of an agent's tools`,
  memoryGrowth: 300,
  prepare: async (served, attacker) => {
    const list = async (): Promise<number> => (await send(served, attacker.token, request('tools/list'))).status;
    expect(await list()).toBe(200);
    return async () => {
      const until = performance.now() + seconds * 1000;
      const listOn = async (): Promise<void> => {
        do expect([200, 429]).toContain(await list());
        while (performance.now() < until);
      };
      await Promise.all(Array.from({ length: atOnce }, listOn));
    };
  },
};
export default attack;
