import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { kontor as inProcessOfItsOwn } from '../processes/npm.ts';

let database: Database;
let folder: string;
let tenant: string;

const env = () => ({ DATABASE_URL: database.url, KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests' });
const run = (...args: string[]) => kontor(args, env());

beforeAll(async () => {
  database = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), 'kontor-company-'));
  tenant = JSON.parse((await run('tenant', 'create', '--name', 'Acme', '--json')).out).id;
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function set(profile: string) {
  const file = join(folder, 'profile.json');
  await writeFile(file, profile);
  return run('company', 'set', '--tenant', tenant, '--file', file, '--json');
}

const profile = {
  legal_name: 'Kontor Studio GmbH',
  address_line1: 'Hafenstraße 1',
  address_line2: 'Haus B',
  postal_code: '24103',
  city: 'Kiel',
  country: 'DE',
  vat_id: 'DE123456789',
  tax_number: '20/123/45678',
  register_entry: 'Amtsgericht Kiel, HRB 1234',
  registration_number: '12345678',
  registration_number_scheme: '0106',
  electronic_address: '4012345000009',
  electronic_address_scheme: '0088',
  contact_name: 'Ada Lovelace',
  phone: '+49 431 123456',
  email: 'rechnung@kontor.example',
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
  payment_terms_days: 21,
  default_vat_rate: 19,
  footer: 'Zeile eins\nZeile zwei',
  language: 'de',
  required_e_invoice: 'xrechnung-cii',
};
const left = { accent_color: null, issue_date_order: 'warn' };

it('`company set` stores a profile from a file, and `company get --json` prints it as it can be set', async () => {
  const get = () => inProcessOfItsOwn(['company', 'get', '--tenant', tenant, '--json'], env());
  expect(JSON.parse((await get()).out)).toBeNull();
  expect(JSON.parse((await set(JSON.stringify(profile))).out)).toEqual({ ...profile, ...left });
  const { out } = await get();
  expect(JSON.parse(out)).toEqual({ ...profile, ...left });
  expect(JSON.parse((await set(out)).out)).toEqual(JSON.parse(out));
  expect(JSON.parse((await set('{"city": "Bonn", "footer": null, "default_vat_rate": "7.5"}')).out)).toEqual({
    ...profile,
    city: 'Bonn',
    footer: null,
    default_vat_rate: 7.5,
    ...left,
  });
});

it('`company set --logo` stores a logo; --no-logo, or null in the file, deletes it', async () => {
  const file = join(folder, 'logo.svg');
  const draw = (content: string) => writeFile(file, `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`);
  const setLogo = () => run('company', 'set', '--tenant', tenant, '--logo', file);
  const hasLogo = async (): Promise<boolean> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('select logo_id is not null as set from companies');
    await client.end();
    return rows[0].set;
  };
  await set(JSON.stringify(profile));
  await draw('<rect width="9" height="9"/>');
  expect((await setLogo()).out).toBe('The profile of Kontor Studio GmbH is saved.\n');
  expect(await hasLogo()).toBe(true);
  await draw('<script/>');
  expect((await setLogo()).err).toContain('kontor: logo: Must not have <script>. Save the logo as a PNG.');
  expect((await run('company', 'set', '--tenant', tenant, '--logo', `${file}x`)).err).toContain("can't be read");
  expect((await run('company', 'set', '--tenant', tenant)).err).toContain('Give --file, --logo, or --no-logo');
  expect((await set('{"logo": "logo.svg"}')).err).toContain('The logo is given by --logo');
  await set('{"logo": null}');
  expect(await hasLogo()).toBe(false);
  await draw('<rect width="9" height="9"/>');
  await setLogo();
  expect(await hasLogo()).toBe(true);
  await run('company', 'set', '--tenant', tenant, '--no-logo');
  expect(await hasLogo()).toBe(false);
});

it('`company set` refuses wrong and unknown fields by name, and other files', async () => {
  const { code, err } = await set('{"iban": "DE00", "language": "fr"}');
  expect(code).toBe(5);
  expect(err).toContain('kontor: iban: Must be an IBAN: its length or its check digits are wrong.');
  expect(err).toContain('kontor: language: Must be one of de, en.');
  expect((await set('{"required_e_invoice": "pdf"}')).err).toContain(
    'kontor: required_e_invoice: Must be one of none, xrechnung-cii, xrechnung-ubl, peppol, factur-x.',
  );
  expect((await set('{"legal_names": "x"}')).err).toContain('kontor: legal_names: This field is not known here.');
  expect((await set('[]')).err).toContain('must have a JSON object');
  expect((await set('{')).err).toContain('is not JSON');
});
