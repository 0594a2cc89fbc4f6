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
