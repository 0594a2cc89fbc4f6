import type { Holder } from '../../../prisma/client.ts';

interface Entry<Value> {
  value: Value;
  size: number;
  holder: Holder;
}

interface Share {
  keys: Set<string>; // ordered by their last use
  size: number;
}

/**
 * A cache that all tenants share, bounded in all. Once it is full, the tenant with the largest share loses what was used longest
 * ago. So a tenant can fill what others leave, and can push out nobody who has less.
 */
export class FairCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #shares = new Map<Holder, Share>(); // ordered by their last use
  readonly #max: number;
  readonly #sizeOf: (key: string) => number;
  #size = 0;

  /** @param sizeOf an entry's size, of which there are at most `max`; by default 1, which bounds the number of entries */
  constructor(max: number, sizeOf: (key: string) => number = () => 1) {
    this.#max = max;
    this.#sizeOf = sizeOf;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry) this.#use(key, entry);
    return entry?.value;
  }

  /** @param holder who pays for the entry, if it is new */
  set(key: string, value: Value, holder: Holder): void {
    const known = this.#entries.get(key);
    if (known) {
      known.value = value;
      this.#use(key, known);
      return;
    }
    const entry = { value, size: this.#sizeOf(key), holder };
    this.#entries.set(key, entry);
    this.#size += entry.size;
    this.#use(key, entry).size += entry.size;
    while (this.#size > this.#max) this.#shrink();
  }

  /** Makes an entry and its tenant's share the last used ones. */
  #use(key: string, { holder }: Entry<Value>): Share {
    const share = this.#shares.get(holder) ?? { keys: new Set(), size: 0 };
    share.keys.delete(key);
    share.keys.add(key);
    this.#shares.delete(holder);
    this.#shares.set(holder, share);
    return share;
  }

  #shrink(): void {
    let largest: Share | undefined;
    for (const share of this.#shares.values()) if (!largest || share.size > largest.size) largest = share;
    const [oldest] = largest?.keys ?? [];
    const entry = oldest === undefined ? undefined : this.#entries.get(oldest);
    if (!largest || oldest === undefined || !entry) throw new Error('A full cache has an entry');
    this.#entries.delete(oldest);
    this.#size -= entry.size;
    largest.keys.delete(oldest);
    largest.size -= entry.size;
    if (largest.keys.size === 0) this.#shares.delete(entry.holder);
  }
}
