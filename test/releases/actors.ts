import { createToken } from '../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { hasUnproven, proveNext } from '../../schema/resources/document/proofs.ts';
import { makeSampleAnchor } from '../anchors/sample.ts';
import { startService, type Service } from '../harness.ts';
import { until, work } from '../webhooks/receiver.ts';

// The service, the actors, and the events that recorded requests need. Recordings name them, so none may be removed.

export interface Stage {
  service: Service;
  /** By the names of actors; `nobody` has none. */
  tokens: Record<string, string>;
  /** Does what is due between two requests. */
  happen(event: string): Promise<void>;
}

/** A service whose clock stands still, with two tenants. */
export async function setStage(): Promise<Stage> {
  const limiter = () => createRateLimiter({ limit: 1_000_000, store: memoryStore() });
  const service = await startService({ limiter, publicUrl: 'https://kontor.example' });
  service.clock.now = new Date('2026-03-02T09:30:00Z');
  const acme = await service.integrator();
  const other = await service.integrator({ name: 'Globex' });
  const having = async (rights: { abilities?: string[]; requestsPerMinute?: number }): Promise<string> =>
    (await createToken(service.client, { tenantId: acme.tenantId, ...rights })).token;
  const tokens = {
    acme: acme.token,
    other: other.token,
    reader: await having({ abilities: ['projects:read'] }),
    limited: await having({ requestsPerMinute: 1 }),
  };
  const events: Record<string, () => Promise<void>> = {
    /** A worker ends what was begun. */
    async work() {
      // Jobs of the clock would seal the audit log at the turn of a minute, or anchor it.
      const worker = await work(service, { crontab: [] });
      const open = `select from exports where finished_at is null union all
        select from bulk_operations where finished_at is null`;
      await until(
        async () => (await service.pool.query(open)).rows.length === 0,
        'the end of exports and bulk operations',
      );
      await worker.stop();
      const context = await service.contextOf(acme);
      while (await hasUnproven(context)) await proveNext(context);
    },
    async anchor() {
      await makeSampleAnchor(acme);
    },
  };
  return {
    service,
    tokens,
    happen: async (event) => {
      const does = events[event];
      if (!does) throw new Error(`test/releases/actors.ts: there is no ${event}`);
      await does();
    },
  };
}
