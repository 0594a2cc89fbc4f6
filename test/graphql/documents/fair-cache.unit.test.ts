import { describe, expect, it } from 'vitest';
import { withHolder } from '../../../prisma/client.ts';
import { FairCache } from '../../../src/server/graphql/fair-cache.ts';

const keys = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** The entries that a cache still has, without using any of them. */
const kept = (cache: FairCache<string>, of: string[]): string[] => of.filter((key) => cache.get(key) === key);

const fill = (cache: FairCache<string>, of: string[], tenantId: string): void => {
  for (const key of of) cache.set(key, key, withHolder({ id: tenantId, testOf: null }).holder);
};

describe('a cache that tenants share', () => {
  it('keeps all of a tenant beside another one that sends documents without end', () => {
    const cache = new FairCache<string>(500);
    const innocent = keys(100, 'innocent');
    const hostile = keys(5000, 'hostile');
    fill(cache, innocent, 'innocent');
    fill(cache, hostile, 'hostile');
    expect(kept(cache, hostile)).toEqual(hostile.slice(-400));
    expect(kept(cache, innocent)).toEqual(innocent);

    // Also one that comes when the cache is full.
    const late = keys(100, 'late');
    fill(cache, late, 'late');
    fill(cache, hostile, 'hostile');
    expect(kept(cache, [...late, ...innocent])).toEqual([...late, ...innocent]);
  });

  it('lets a tenant alone have all of it, whose last used documents stay', () => {
    const cache = new FairCache<string>(500);
    const own = keys(500, 'own');
    fill(cache, own, 'acme');
    expect(kept(cache, own)).toEqual(own);
    cache.get('own 0');
    fill(cache, ['another'], 'acme');
    expect(kept(cache, [...own, 'another'])).toEqual([...own.filter((key) => key !== 'own 1'), 'another']);
  });

  it('keeps all of a tenant beside another one with test tenants', () => {
    const cache = new FairCache<string>(500);
    const innocent = keys(100, 'innocent');
    fill(cache, innocent, 'innocent');
    for (let test = 0; test < 5; test += 1)
      for (const key of keys(1000, `hostile ${test}`))
        cache.set(key, key, withHolder({ id: `test ${test}`, testOf: 'hostile' }).holder);
    expect(kept(cache, innocent)).toEqual(innocent);
  });

  it('counts an entry for who was first, and for another tenant after it was pushed out', () => {
    const cache = new FairCache<string>(10);
    fill(cache, ['common'], 'hostile');
    fill(cache, keys(20, 'hostile'), 'hostile');
    expect(kept(cache, ['common'])).toEqual([]);
    fill(cache, ['common'], 'innocent');
    fill(cache, ['common', ...keys(20, 'hostile')], 'hostile');
    expect(kept(cache, ['common'])).toEqual(['common']);
  });

  it('is bounded by the size of its entries, for very many tenants too', () => {
    const cache = new FairCache<string>(1000, (key) => key.length);
    const all = Array.from({ length: 300 }, (_, index) => String(index).padStart(10, '0'));
    for (const key of all) cache.set(key, key, withHolder({ id: `tenant of ${key}`, testOf: null }).holder);
    expect(kept(cache, all)).toEqual(all.slice(-100)); // those not used for the longest time are gone
    const long = keys(10, 'x'.repeat(198));
    fill(cache, long, 'hostile'); // each is more than anybody's share
    expect(kept(cache, [...all, ...long])).toEqual(all.slice(-100));
    const alone = new FairCache<string>(1000, (key) => key.length);
    fill(alone, long, 'hostile');
    expect(kept(alone, long)).toEqual(long.slice(-5));
    fill(alone, ['x'.repeat(1001)], 'acme');
    expect(kept(alone, [...long, 'x'.repeat(1001)])).toEqual(long.slice(-5));
  });
});
