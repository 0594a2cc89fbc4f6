import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { addressRequest, bodyRequest, documented } from './anything.ts';
import { bodyEndpoints, makeRoom, type BodyEndpoint } from '../resources.ts';

// Random input to every endpoint gets a documented status with its documented shape, and causes no internal error.

let service: Service;
let acme: Integrator;
let endpoints: BodyEndpoint[];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  endpoints = await bodyEndpoints(acme);
});
afterAll(() => service.close());
afterEach(() => sample.expectNoInternalError(service));

const seconds = 5;
const bounded = { interruptAfterTimeLimit: seconds * 1000, numRuns: 100_000, markInterruptAsFailure: false };

describe('random input to every endpoint is answered as documented', () => {
  it(`bodies, for ${seconds} seconds`, async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(bodyRequest(endpoints), async ({ method, path, sent }) => {
        const answer = await acme.rest(method, path, sent);
        documented(answer, method === 'POST' ? 201 : 200);
        if (path === '/exports' && answer.status === 201) await makeRoom(acme);
        statuses.add(answer.status);
      }),
      bounded,
    );
    // The generator reaches success and rejection.
    expect([...statuses].toSorted()).toEqual(expect.arrayContaining([200, 201, 422]));
  });

  it(`ids and query strings, for ${seconds} seconds`, async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(addressRequest(), async ({ method, path }) => {
        const answer = await acme.rest(method, path);
        documented(answer, method === 'GET' ? 200 : 204);
        statuses.add(answer.status);
      }),
      bounded,
    );
    expect([...statuses].toSorted()).toEqual(expect.arrayContaining([200, 404, 422]));
  });
});
