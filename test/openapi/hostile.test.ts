import { afterAll, beforeAll, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { expectNoInternalError } from '../rest/samples.ts';
import { createApiValidator, description, operations } from './description.ts';
import { validateAnswer, send, usualBodies } from './hostile-answers.ts';
import { hostileRequests } from './hostile.ts';

// A short version of reliability/hostile-rest.test.ts.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

it('hostile requests get documented answers, and cause no internal error', async () => {
  const api = description();
  const validator = createApiValidator(api);
  const usual = await usualBodies(acme, operations(api));
  const make = hostileRequests(api, validator, usual, {});
  for (let seed = 0; seed < 300; seed += 1) {
    const request = make(seed);
    const answer = await send(service.url, acme, request);
    try {
      validateAnswer(validator, request, answer);
    } catch (cause) {
      throw new Error(`Request ${seed}, ${request.family}: ${request.method} ${request.path.slice(0, 200)}`, { cause });
    }
  }
  expectNoInternalError(service);
});
