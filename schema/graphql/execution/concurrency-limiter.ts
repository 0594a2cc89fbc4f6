/** Runs one task of each tenant at a time, so that nobody waits for all of another tenant's. */
export class FairLimiter {
  readonly #tenants = new Map<string, { limiter: ConcurrencyLimiter; pending: number }>();

  async run<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    const tenant = this.#tenants.get(tenantId) ?? { limiter: new ConcurrencyLimiter(1), pending: 0 };
    this.#tenants.set(tenantId, tenant);
    tenant.pending += 1;
    try {
      return await tenant.limiter.run(work);
    } finally {
      tenant.pending -= 1;
      if (tenant.pending === 0) this.#tenants.delete(tenantId);
    }
  }
}

/** Runs a limited number of tasks at a time. Further tasks wait in the order in which they came. */
export class ConcurrencyLimiter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
