/** How many documents a process keeps of a tenant, and how many characters of a tenant and of all. */
export const mostKept = { documents: 1000, characters: 2_000_000, inAll: 20_000_000 };

interface Kept {
  text: string;
  until: number;
}

interface Tenant {
  texts: Map<string, Kept>; // ordered by their last use
  characters: number;
}

/** Texts of documents by tenant and hash, for a while. A tenant's never take the place of others' while these fit. */
export class DocumentTexts {
  readonly #tenants = new Map<string, Tenant>(); // ordered by their last use
  readonly #ttlMs: number;
  readonly #now: () => number;
  #characters = 0;

  constructor(ttlMs: number, now: () => number = () => performance.now()) {
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  get characters(): number {
    return this.#characters;
  }

  get(tenantId: string, hash: string): string | undefined {
    const tenant = this.#tenants.get(tenantId);
    const kept = tenant?.texts.get(hash);
    if (!tenant || !kept) return undefined;
    this.#delete(tenant, hash, kept);
    if (kept.until <= this.#now()) return undefined;
    this.#put(tenantId, tenant, hash, kept);
    return kept.text;
  }

  set(tenantId: string, hash: string, text: string): void {
    const tenant = this.#tenants.get(tenantId) ?? { texts: new Map<string, Kept>(), characters: 0 };
    const former = tenant.texts.get(hash);
    if (former) this.#delete(tenant, hash, former);
    this.#put(tenantId, tenant, hash, { text, until: this.#now() + this.#ttlMs });
    for (const [oldHash, kept] of tenant.texts) {
      if (tenant.texts.size <= mostKept.documents && tenant.characters <= mostKept.characters) break;
      this.#delete(tenant, oldHash, kept);
    }
    for (const [oldId, { characters }] of this.#tenants) {
      if (this.#characters <= mostKept.inAll) break;
      this.#characters -= characters;
      this.#tenants.delete(oldId);
    }
  }

  #put(tenantId: string, tenant: Tenant, hash: string, kept: Kept): void {
    tenant.texts.set(hash, kept);
    tenant.characters += kept.text.length;
    this.#characters += kept.text.length;
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
  }

  #delete(tenant: Tenant, hash: string, { text }: Kept): void {
    tenant.texts.delete(hash);
    tenant.characters -= text.length;
    this.#characters -= text.length;
  }
}
