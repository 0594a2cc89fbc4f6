import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { routes } from '../../rest-shim/routes.ts';
import * as sample from './samples.ts';
import { create, refusal } from './samples.ts';

const origin = 'https://app.example';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService({ corsOrigins: [origin, 'http://localhost:5173'] });
  acme = await service.integrator();
});
afterAll(() => service.close());

const cors = ({ headers }: Answer) => [...headers].filter(([name]) => name.startsWith('access-control-'));

describe('HEAD', () => {
  it('is answered like GET, without the body', async () => {
    const { id } = await create(acme, '/customers', sample.customer);
    const paths = [
      '/me',
      '/customers',
      '/customers?page=0',
      `/customers/${id}`,
      `/customers/${sample.unknownId}`,
      '/nothing',
    ];
    for (const path of paths) {
      const [get, head] = [await acme.rest('GET', path), await acme.rest('HEAD', path)];
      expect([path, head.status, head.text]).toEqual([path, get.status, '']);
      for (const name of ['content-type', 'content-length', 'cache-control']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
      }
      expect(head.headers.get('x-request-id')).toBeTruthy();
    }
    expect((await service.request('HEAD', '/api/v1/me')).status).toBe(401);
  });
});

describe('OPTIONS', () => {
  it('answers the path’s methods in Allow', async () => {
    for (const path of new Set(routes.map(([, each]) => each))) {
      const takes = routes.filter(([, each]) => each === path).map(([method]) => method as string);
      const { status, headers, text } = await acme.rest('OPTIONS', path.replace(':id', sample.unknownId));
      expect({ status, text }).toEqual({ status: 204, text: '' });
      const head = takes.includes('GET') ? ['HEAD'] : [];
      expect(headers.get('allow')?.split(', ').toSorted()).toEqual([...takes, ...head, 'OPTIONS'].toSorted());
    }
    refusal(await acme.rest('OPTIONS', '/nothing'), 404);
    refusal(await service.request('OPTIONS', '/api/v1/customers'), 401);
  });
});

describe('CORS for configured origins', () => {
  const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' };

  it('answers a configured origin’s preflight without a token, with methods and headers', async () => {
    const { status, headers, text } = await service.request('OPTIONS', `/api/v1/customers/${sample.unknownId}`, {
      headers: { origin, ...preflight },
    });
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('vary')).toContain('Origin');
    const list = (name: string) => headers.get(name)?.toLowerCase().split(', ') ?? [];
    expect(list('access-control-allow-methods')).toEqual(expect.arrayContaining(['get', 'post', 'patch', 'delete']));
    const needed = ['authorization', 'content-type', 'idempotency-key'];
    expect(list('access-control-allow-headers')).toEqual(expect.arrayContaining(needed));
  });

  it('lets a configured origin read every header that the API describes, such as the name of a file', async () => {
    const described = Object.keys((await service.request('GET', '/api/v1/openapi.json')).body.components.headers);
    const answer = await acme.rest('GET', '/me', undefined, { origin });
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    expect(described).toContain('Content-Disposition');
    expect(exposed).toEqual(expect.arrayContaining(described));
  });

  it('lets a configured origin read every answer, also errors', async () => {
    const answers = [
      await acme.rest('GET', '/customers', undefined, { origin }),
      await acme.rest('POST', '/customers', {}, { origin }),
      await acme.rest('GET', '/nothing', undefined, { origin }),
      await service.request('GET', '/api/v1/me', { headers: { origin } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 404, 401]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
      const needed = [
        'location',
        'retry-after',
        'x-request-id',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
      ];
      expect(exposed).toEqual(expect.arrayContaining(needed));
    }
  });

  it('sends other origins no CORS headers', async () => {
    for (const other of [
      'https://evil.example',
      'https://app.example.evil',
      'http://app.example',
      'null',
      `${origin}:444`,
    ]) {
      const answer = await acme.rest('GET', '/customers', undefined, { origin: other });
      expect([other, answer.status, cors(answer)]).toEqual([other, 200, []]);
      expect(answer.headers.get('vary')).toContain('Origin');
      const asked = await service.request('OPTIONS', '/api/v1/customers', { headers: { origin: other, ...preflight } });
      expect([asked.status, cors(asked)]).toEqual([401, []]);
    }
  });

  it('is off by default', async () => {
    const closed = await startService();
    try {
      const answer = await closed.request('GET', '/api/v1/me', { headers: { origin } });
      const asked = await closed.request('OPTIONS', '/api/v1/me', { headers: { origin, ...preflight } });
      expect([cors(answer), cors(asked)]).toEqual([[], []]);
    } finally {
      await closed.close();
    }
  });
});
