import { afterAll, beforeAll, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { noFaults } from '../rest/samples.ts';
import { createJudge, description, operations } from './description.ts';
import { judgeAnswer, send, usualBodies } from './hostile-answers.ts';
import { hostileRequests } from './hostile.ts';

// A short form of reliability/hostile-rest.test.ts.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

it('hostile requests are answered as documented, and none is a fault of ours', async () => {
  const api = description();
  const judge = createJudge(api);
  const usual = await usualBodies(acme, operations(api));
  const make = hostileRequests(api, judge, usual, {});
  for (let seed = 0; seed < 300; seed += 1) {
    const asked = make(seed);
    const answer = await send(service.url, acme, asked);
    try {
      judgeAnswer(judge, asked, answer);
    } catch (cause) {
      throw new Error(`Request ${seed}, ${asked.family}: ${asked.method} ${asked.path.slice(0, 200)}`, { cause });
    }
  }
  noFaults(service);
});
