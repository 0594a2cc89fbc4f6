import { describe, expect, it, vi } from 'vitest';
import { createAuthenticate, createToken, revokeToken } from '../../src/identity/index.ts';
import { mintToken } from '../../src/identity/token.ts';
import {
  openAccounts,
  pool,
  client,
  statements,
  onError,
  authenticate,
  findKind,
  someTenant,
  at,
  lastUsed,
  untilNoted,
  untilUsed,
  ample,
} from './accounts.ts';
import { withHolder } from '../../prisma/client.ts';

openAccounts();

describe('authentication', () => {
  it('finds the user, the tenant and the token, in one statement', async () => {
    const { tenant, user } = await someTenant();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token, id } = await createToken(client, {
      tenantId: tenant.id,
      name: 'Shop',
      abilities: ['read', 'invoices:write'],
      expiresAt,
    });
    statements.length = 0;
    const now = new Date();
    const answer = await authenticate(token, now);
    expect(statements.filter((sql) => sql.includes('where t.hash'))).toHaveLength(1);
    expect(statements.filter((sql) => !sql.includes('where t.hash') && !sql.startsWith('UPDATE'))).toEqual([]);
    expect(answer).toEqual({
      kind: 'principal',
      tokenId: id,
      isFollowed: false,
      principal: {
        user: { id: user.id, name: user.email.split('@')[0], email: user.email },
        tenant: {
          id: tenant.id,
          name: 'Acme',
          country: 'DE',
          defaultCurrency: 'EUR',
          timezone: 'UTC',
          test: false,
          holder: withHolder({ id: tenant.id, testOf: null }).holder,
          clockAheadMs: 0,
        },
        token: {
          id,
          name: 'Shop',
          abilities: ['read', 'invoices:write'],
          trustedDocuments: false,
          requestsPerMinute: null,
          lastFour: expect.stringMatching(/^[0-9A-Za-z]{4}$/),
          createdAt: expect.any(Date),
          lastUsedAt: null,
          expiresAt,
        },
      },
    });
    await untilUsed(id);
  });

  it('looks up many concurrent requests in one statement, and finds the caller of each', async () => {
    const made = [await someTenant(), await someTenant(), await someTenant()];
    await revokeToken(client, made[2]!.token.id);
    const sent = [...made, ...made].map(({ token }) => token.token);
    statements.length = 0;
    const answers = await Promise.all([...sent, mintToken().value].map((token) => authenticate(token)));
    const [first, second] = made.map(({ user }) => ({ kind: 'principal', principal: { user: { id: user.id } } }));
    const unauthenticated = { kind: 'unauthenticated' };
    const each = [first, second, unauthenticated];
    expect(answers).toMatchObject([...each, ...each, unauthenticated]);
    expect(statements.filter((sql) => sql.includes('where t.hash'))).toHaveLength(1);
  });

  it('accepts the scheme Bearer in any case, and no other', async () => {
    const { token } = await someTenant();
    const kinds = [];
    for (const header of [
      `bearer ${token.token}`,
      `BEARER   ${token.token}`,
      token.token,
      `Token ${token.token}`,
      `Bearer${token.token}`,
      `Bearer ${token.token} x`,
      'Bearer',
      '',
      null,
    ]) {
      kinds.push((await createAuthenticate(pool, onError)(header, new Date())).kind);
    }
    expect(kinds).toEqual(['principal', 'principal', ...Array.from({ length: 7 }, () => 'unauthenticated')]);
  });

  it('rejects a malformed token without asking the database', async () => {
    const { value } = mintToken();
    statements.length = 0;
    for (const wrong of [
      value.slice(0, -1),
      `${value}0`,
      value.replace('kontor_', 'Kontor_'),
      value.slice(0, -1) + (value.endsWith('0') ? '1' : '0'),
    ]) {
      expect(await findKind(wrong)).toBe('unauthenticated');
    }
    expect(statements).toEqual([]);
  });

  it('rejects a well-formed token that doesn’t exist', async () => {
    expect(await findKind(mintToken().value)).toBe('unauthenticated');
  });

  it('rejects a revoked token as soon as revocation returns', async () => {
    const { token } = await someTenant();
    expect(await findKind(token.token)).toBe('principal');
    const busy = new AbortController();
    const revokedFrom = { time: Infinity };
    const late: string[] = [];
    let accepted = 0;
    const callers = Array.from({ length: 5 }, async () => {
      while (!busy.signal.aborted) {
        const started = performance.now();
        const kind = await findKind(token.token);
        if (started >= revokedFrom.time) late.push(kind);
        else if (kind === 'principal') accepted += 1;
      }
    });
    await vi.waitFor(() => expect(accepted).toBeGreaterThan(20), ample);
    await revokeToken(client, token.id);
    revokedFrom.time = performance.now();
    await vi.waitFor(() => expect(late.length).toBeGreaterThan(20), ample);
    busy.abort();
    await Promise.all(callers);
    expect(new Set(late)).toEqual(new Set(['unauthenticated']));
  });

  it('rejects an expired token, to the millisecond', async () => {
    const { tenant } = await someTenant();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token } = await createToken(client, { tenantId: tenant.id, expiresAt });
    expect(await findKind(token, new Date(expiresAt.getTime() - 1))).toBe('principal');
    expect(await findKind(token, expiresAt)).toBe('unauthenticated');
  });

  it('accepts a token without a tenant as such', async () => {
    const { user } = await someTenant();
    const { token, id } = await createToken(client, { tenantId: null, userEmail: user.email });
    expect(await authenticate(token)).toEqual({ kind: 'no-tenant', tokenId: id });
    await revokeToken(client, id);
    expect(await findKind(token)).toBe('unauthenticated');
  });

  it('ignores a token’s tenant if it is closed or the user is no member of it', async () => {
    const [closed, left] = [await someTenant(), await someTenant()];
    await client.tenant.update({ where: { id: closed.tenant.id }, data: { closedAt: new Date() } });
    await client.membership.deleteMany({ where: { tenantId: left.tenant.id } });
    expect(await findKind(closed.token.token)).toBe('no-tenant');
    expect(await findKind(left.token.token)).toBe('no-tenant');
  });
});

describe('the last use of a token', () => {
  it('is recorded after the answer, at most once a minute; the answer has the previous one', async () => {
    const { token } = await someTenant();
    const seen = [];
    const noted = new Set([0, 60, 500]);
    for (const seconds of [0, 1, 59.999, 60, 61, 119.999, 500]) {
      const answer = await authenticate(token.token, at(seconds));
      seen.push(answer.kind === 'principal' ? answer.principal.token?.lastUsedAt : answer.kind);
      await untilNoted();
      if (noted.has(seconds)) expect(await lastUsed(token.id)).toEqual(at(seconds));
    }
    expect(seen).toEqual([null, at(0), at(0), at(0), at(60), at(60), at(60)]);
    expect(await lastUsed(token.id)).toEqual(at(500));
    expect(onError).not.toHaveBeenCalled();
  });

  it('is one write for many concurrent requests', async () => {
    const { token } = await someTenant();
    await pool.query(`
      create table notes (token_id uuid);
      create function note() returns trigger language plpgsql as 'begin insert into notes values (new.id); return null; end';
      create trigger note after update on api_tokens for each row execute function note()`);
    await Promise.all(Array.from({ length: 50 }, (_, index) => authenticate(token.token, at(index))));
    await untilNoted();
    const { rows } = await pool.query('table notes');
    expect(rows).toEqual([{ token_id: token.id }]);
  });

  it('is one write, also when another process records it at the same time', async () => {
    const { token } = await someTenant();
    const other = await pool.connect();
    await other.query('begin');
    await other.query('update api_tokens set last_used_at = $2 where id = $1', [token.id, at(1)]);
    expect(await findKind(token.token, at(30))).toBe('principal');
    await untilNoted();
    await other.query('commit');
    other.release();
    expect(await lastUsed(token.id)).toEqual(at(1));
  });

  it('never delays or fails a request; its errors are reported', async () => {
    const { token } = await someTenant();
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('lock table api_tokens in exclusive mode');
    expect(await findKind(token.token)).toBe('principal');
    expect(onError).not.toHaveBeenCalled();
    await vi.waitFor(async () => {
      await pool.query(`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      expect(onError).toHaveBeenCalledOnce();
    }, ample);
    await holder.query('rollback');
    holder.release();
    expect(await findKind(token.token)).toBe('principal'); // and tries again
    await untilUsed(token.id);
  });

  it('takes one connection, of however many tokens, so that others find theirs', async () => {
    const many = await Promise.all(Array.from({ length: 30 }, () => someTenant()));
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('lock table api_tokens in exclusive mode');
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const countWaiting = async (): Promise<number | null> => (await pool.query(waiting)).rowCount;
    try {
      for (const { token } of many) expect(await findKind(token.token)).toBe('principal');
      await expect.poll(countWaiting, ample).toBeGreaterThan(0);
      expect(await countWaiting()).toBe(1);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    for (const { token } of many) await untilUsed(token.id);
  });

  it('is not recorded for a rejected token', async () => {
    const { token } = await someTenant();
    await revokeToken(client, token.id);
    await authenticate(token.token);
    await untilNoted();
    expect(await lastUsed(token.id)).toBeNull();
  });
});
