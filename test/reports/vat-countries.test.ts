import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getVatCountry, getVatCountrySql } from '../../schema/codes/vat-territory.ts';
import { startService, type Service } from '../harness.ts';

// SQL finds the same country for VAT as TypeScript does.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const prefix = fc.constantFrom('DE', 'de', 'AT', 'EL', 'GR', 'XI', 'MC', 'CHE', 'GB', 'D', '', ' FR', '\tIT', 'F R');
const separator = fc.constantFrom('', ' ', '.', '-', ' . -', '_');
const rest = fc.constantFrom('123456789', 'U12345678', 'x', '', '-', 'é1');
const party = fc.record({
  vat_id: fc.option(fc.tuple(prefix, separator, rest).map((parts) => parts.join(''))),
  country: fc.option(fc.constantFrom('DE', 'GR', 'MC', 'CH', 'GB')),
});

it('of generated parties', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(party, { minLength: 100, maxLength: 100 }), async (parties) => {
      const found = await service.client.$queryRawUnsafe<{ country: string | null }[]>(
        `select ${getVatCountrySql('party')} as country from jsonb_array_elements($1::jsonb) with ordinality as of (party, at)
         order by at`,
        JSON.stringify(parties),
      );
      const expected = parties.map((each) => getVatCountry(each) ?? null);
      expect(found.map(({ country }) => country)).toEqual(expected);
    }),
    { numRuns: 10 },
  );
});

it('of suppliers, when a receipt is booked', async () => {
  const { tenantId } = await service.integrator();
  await fc.assert(
    fc.asyncProperty(fc.array(party, { minLength: 50, maxLength: 50 }), async (parties) => {
      const { rows } = await service.pool.query<{ country: string | null }>(
        `with party as (
           select gen_random_uuid() as id, party ->> 'country' as country, party ->> 'vat_id' as vat_id, at
           from jsonb_array_elements($2::jsonb) with ordinality as of (party, at)
         ), supplier as (
           insert into customers (tenant_id, id, type, company_name, country, vat_id, updated_at)
           select $1, id, 'supplier', 'x', country, vat_id, now() from party returning id
         )
         select id, at from party order by at`,
        [tenantId, JSON.stringify(parties)],
      );
      const ids = rows.map((row) => (row as unknown as { id: string }).id);
      const { rows: booked } = await service.pool.query<{ country: string | null }>(
        `with receipt as (
           insert into receipts (tenant_id, id, supplier_id, status, receipt_date, currency, amount_gross, vat_amount, amount_net,
             updated_at)
           select $1, gen_random_uuid(), id, 'booked', '2026-01-01', 'EUR', 0, 0, 0, now() from unnest($2::uuid[]) as id
           returning supplier_id, supplier_country
         )
         select supplier_country as country from receipt order by array_position($2::uuid[], supplier_id)`,
        [tenantId, ids],
      );
      expect(booked.map(({ country }) => country)).toEqual(parties.map((each) => getVatCountry(each) ?? null));
    }),
    { numRuns: 10 },
  );
});
