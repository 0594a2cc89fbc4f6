import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../prisma/books.ts';
import { startService, type Integrator, type Service } from './harness.ts';
import { listen, type Statement } from './isolation/statements.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

type Row = Partial<Record<'email' | 'city' | 'vatId' | 'addressLine1' | 'postalCode' | 'country', string>> & {
  companyName: string;
  type?: 'CUSTOMER' | 'SUPPLIER';
};

/** A tenant with these customers. */
async function tenantWith(...rows: (string | Row)[]): Promise<Integrator> {
  const tenant = await service.integrator();
  const data = rows.map((row) => ({
    type: 'CUSTOMER' as const,
    ...(typeof row === 'string' ? { companyName: row } : row),
  }));
  await tenant.db.customer.createMany({ data });
  return tenant;
}

const path = (q: string, others = ''): string => `/customers?per_page=100&q=${encodeURIComponent(q)}${others}`;

/** The names of the customers found, oldest first. */
async function search(tenant: Integrator, q: string, others?: string): Promise<string[]> {
  const { status, body } = await tenant.rest('GET', path(q, others));
  expect(status).toBe(200);
  const names = body.data.map((customer: { company_name: string }) => customer.company_name).toReversed();
  expect(body.meta.total).toBe(names.length);
  return names;
}

describe('q searches company_name, email, city and vat_id', () => {
  let tenant: Integrator;
  beforeAll(async () => {
    tenant = await tenantWith(
      { companyName: 'by needle name' },
      { companyName: 'by e-mail', email: 'office@needle.example' },
      { companyName: 'by city', city: 'Bad Needle' },
      { companyName: 'by VAT number', vatId: 'NEEDLE12' },
      { companyName: 'elsewhere', addressLine1: 'Needle Street 1', postalCode: 'NEEDLE', country: 'DE' },
    );
  });

  it('and no other field', async () => {
    expect(await search(tenant, 'needle')).toEqual(['by needle name', 'by e-mail', 'by city', 'by VAT number']);
    expect(await search(tenant, 'street')).toEqual([]);
    expect(await search(tenant, 'DE')).toEqual([]); // the country
  });

  it('anywhere in the text: its beginning, middle and end, and across words', async () => {
    expect(await search(tenant, 'by ')).toEqual(
      ['by needle name', 'by e-mail', 'by city', 'by VAT number'], // q is trimmed, as all text is
    );
    expect(await search(tenant, 'edl')).toHaveLength(4);
    expect(await search(tenant, 'le12')).toEqual(['by VAT number']);
    expect(await search(tenant, 'dle na')).toEqual(['by needle name']);
    expect(await search(tenant, '@needle.exa')).toEqual(['by e-mail']);
  });

  it('but never across two fields', async () => {
    expect(await search(tenant, 'cityBad')).toEqual([]);
    expect(await search(tenant, 'city Bad')).toEqual([]);
  });

  it('in texts of one and two characters too', async () => {
    expect(await search(tenant, '2')).toEqual(['by VAT number']);
    expect(await search(tenant, 'v')).toEqual(['by VAT number']);
    expect(await search(tenant, '-m')).toEqual(['by e-mail']);
    expect(await search(tenant, 'zz')).toEqual([]);
  });

  it('an empty q does not narrow the list', async () => {
    expect(await search(tenant, '')).toHaveLength(5);
    expect(await search(tenant, '   ')).toHaveLength(5);
  });

  it.each([
    ['longer than 255 characters', 'x'.repeat(256), 'Must not be longer than 255 characters.'],
    ['with a NUL character', 'a\0b', 'Must not contain NUL characters or lone surrogates.'],
  ])('a q %s is a bad filter value: 422', async (_what, q, message) => {
    const { status, body } = await tenant.rest('GET', path(q));
    expect(status).toBe(422);
    expect(body.errors).toEqual({ q: [message] });
  });
});

describe('any case', () => {
  it.each([
    ['Kontor AG', ['kontor', 'KONTOR', 'kOnToR aG']],
    ['Ärztehaus Süd', ['ärzte', 'ÄRZTE', 'SÜD', 'Ä', 'ä', 'üd']],
    ['MÖBEL ÖZTÜRK', ['möbel', 'öztürk', 'Ö', 'ÜRK']],
    ['Groß & Söhne', ['groß', 'GROẞ', 'ß', 'ẞ', 'SÖHNE']],
    ['WEIẞ', ['weiß', 'ß', 'ẞ']],
    ['Société Générale', ['SOCIÉTÉ', 'générale', 'GÉNÉ', 'é', 'É']],
    ['Łódź Çağ Ñandú Ørsted', ['łódź', 'ŁÓDŹ', 'ÇAĞ', 'ñANDÚ', 'ørsted', 'ØRSTED']],
    ['Московский завод', ['московский', 'МОСКОВ', 'ЗАВОД', 'Й']],
    ['Αθήνα Ελλάδα', ['αθήνα', 'ΑΘΉΝΑ', 'ΛΛΆΔ']],
    ['Παπαδόπουλος Α.Ε.', ['παπαδόπουλος', 'ΠΑΠΑΔΌΠΟΥΛΟΣ', 'ΠΟΥΛΟΣ', 'λος α', 'ΛΟΣ Α']],
    ['ΠΑΠΑΔΌΠΟΥΛΟΣ', ['παπαδόπουλος', 'Παπαδόπουλος', 'ος', 'ς', 'σ']],
    ['Θεσσαλονίκη', ['ΘΕΣΣΑΛΟΝΊΚΗ', 'ΘΕΣ', 'θεσ']],
  ])('%s is found by %j', async (name, queries) => {
    const tenant = await tenantWith(name, 'Someone Else');
    for (const q of queries) expect({ q, found: await search(tenant, q) }).toEqual({ q, found: [name] });
  });

  it('but letters stay themselves: a is not ä, e is not é', async () => {
    const tenant = await tenantWith('Bär', 'Bar', 'Café', 'Cafe');
    expect(await search(tenant, 'bar')).toEqual(['Bar']);
    expect(await search(tenant, 'BÄR')).toEqual(['Bär']);
    expect(await search(tenant, 'café')).toEqual(['Café']);
  });

  it('finds exactly the texts that hold q, whatever the case of either', async () => {
    const characters = [...'aAbBzZ09äÄßẞéÉñÑαΑθΘжЖйЙ🎉中%_\\\'"()[]*+?.^$|;-/@ '];
    const word = (sizes: { minLength: number; maxLength: number }) =>
      fc.string({ ...sizes, unit: fc.constantFrom(...characters) }).map((text) => text.trim());
    const names = fc
      .sample(
        word({ minLength: 1, maxLength: 12 }).filter((text) => text !== ''),
        { numRuns: 100, seed: 20_260_131 },
      )
      .map((text, index) => `${index} ${text}`);
    const tenant = await tenantWith(...names);

    const part = fc
      .tuple(fc.constantFrom(...names), fc.nat(), fc.nat(), fc.boolean())
      .map(([name, from, length, capital]) => {
        const letters = [...name];
        const cut = letters.slice(from % letters.length).slice(0, 1 + (length % letters.length));
        // ß has no capital of one letter but ẞ
        return cut.map((letter) => (capital ? letter.replace('ß', 'ẞ').toUpperCase() : letter.toLowerCase())).join('');
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(part, word({ minLength: 1, maxLength: 3 })), async (q) => {
        expect(await search(tenant, q)).toEqual(
          names.filter((name) => name.toLowerCase().includes(q.trim().toLowerCase())),
        );
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});

describe("LIKE's wildcards are characters like all others", () => {
  it.each([
    ['100% Bio', '%', ['100 Bio', 'x']],
    ['100% Bio', '0%', ['100 % Bio', '10x']],
    ['a_b', '_', ['axb', 'a b']],
    ['a_b', 'a_b', ['axb', 'a b']],
    ['back\\slash', '\\', ['back/slash']],
    ['back\\slash', 'k\\s', ['backslash', 'ks']],
    ['a\\%b', '\\%', ['a%b', 'a\\b']],
    ['a\\_b', '\\_', ['a_b', 'a\\b']],
    ['ends with \\', 'with \\', ['ends with']],
    ['a\\\\b', '\\\\', ['a\\b']],
    ["O'Brien", "o'b", ['OBrien']],
    ['He said "yes"', '"yes"', ['He said yes']],
    ["'; drop table customers; --", "'; DROP", ['x']],
    ['$1 ${2} :name ?', '$1 ${2} :NAME ?', ['1 2 name']],
    ['Party 🎉 GmbH', '🎉', ['Party GmbH', '🎈']],
    ['👩‍💻 Code', '👩‍💻 c', ['👩 💻 Code']],
    ['one+two & three=four#', '+two & three=four#', ['one two']],
  ])('%s is found by %s, others are not', async (name, q, others) => {
    const tenant = await tenantWith(name, ...others);
    expect(await search(tenant, q)).toEqual([name]);
  });
});

describe('q together with', () => {
  it('type: both narrow the list', async () => {
    const tenant = await tenantWith(
      { companyName: 'Müller Druck', type: 'SUPPLIER' },
      { companyName: 'Müller Bau' },
      { companyName: 'Maier', type: 'SUPPLIER', city: 'Müllheim' },
      { companyName: 'Maier', type: 'SUPPLIER' },
    );
    expect(await search(tenant, 'MÜLL', '&type=supplier')).toEqual(['Müller Druck', 'Maier']);
    expect(await search(tenant, 'MÜLL', '&type=customer')).toEqual(['Müller Bau']);
    expect(await search(tenant, 'MÜLL')).toEqual(['Müller Druck', 'Müller Bau', 'Maier']);
  });

  it('paging: newest first, and links keep q', async () => {
    const tenant = await tenantWith('Ärzte 1', 'other', 'Ärzte 2', 'Ärzte 3');
    const first = await tenant.rest('GET', '/customers?q=%C3%A4rzte&per_page=2');
    expect(first.body.data.map((customer: { company_name: string }) => customer.company_name)).toEqual([
      'Ärzte 3',
      'Ärzte 2',
    ]);
    expect(first.body.meta).toEqual({ current_page: 1, per_page: 2, total: 3, last_page: 2, from: 1, to: 2 });
    expect(new URL(first.body.links.next).searchParams.get('q')).toBe('ärzte');
  });

  it("another tenant's customers: they are not found", async () => {
    const acme = await tenantWith('Needle of Acme');
    const other = await tenantWith('Needle of the other', { companyName: 'x', email: 'needle@example.com' });
    expect(await search(acme, 'needle')).toEqual(['Needle of Acme']);
    expect(await search(other, 'needle')).toEqual(['Needle of the other', 'x']);
    expect(await search(other, 'acme')).toEqual([]);
  });
});

describe('with 100,000 customers', () => {
  let busy: Integrator;
  let asciiOnly: boolean;
  const customersEach = 50_000;

  beforeAll(async () => {
    busy = await service.integrator({ name: 'Busy' });
    const other = await service.integrator({ name: 'Busy too' });
    const client = await service.pool.connect();
    const { rows } = await client.query(`select pg_get_indexdef('customers_search_idx'::regclass) as definition`);
    await client.query('drop index customers_search_idx'); // built at once rather than row by row
    // Every thousandth is a doctor, every thousandth is in Athens: 50 of each per tenant.
    await client.query(
      `insert into customers (tenant_id, id, type, company_name, email, city, vat_id, updated_at)
      select tenant, uuidv7(), case when n % 3 = 0 then 'supplier' else 'customer' end::customer_type,
        case n % 1000 when 7 then 'Die Ärzte ' else 'Partner ' end || n || ' GmbH',
        'office' || n || '@' || substr(md5(n::text), 1, 8) || '.example',
        case n % 1000 when 8 then 'Αθήνα' else (array['Berlin', 'München', 'Zürich', 'Łódź', 'Москва'])[1 + n % 5] end,
        'DE' || lpad((n * 7919 % 1000000007)::text, 9, '0'), now()
      from generate_series(1, ${customersEach}) n cross join unnest($1::uuid[]) tenant`,
      [[busy.tenantId, other.tenantId]],
    );
    await client.query(rows[0].definition);
    // Of so many rows ANALYZE reads all, not a sample that differs from run to run, and with it the plans.
    await client.query('set default_statistics_target = 1000');
    await client.query('vacuum analyze customers');
    client.release(true);
    // initdb lists the system's locales there.
    const { rowCount } = await service.pool.query(
      `select from pg_collation where collprovider = 'c' and collctype ~* '^C.UTF-?8$'`,
    );
    asciiOnly = rowCount === 0;
  }, 60_000);

  interface Plan {
    'Node Type': string;
    'Relation Name'?: string;
    'Index Name'?: string;
    'Actual Rows': number;
    'Rows Removed by Filter'?: number;
    'Rows Removed by Index Recheck'?: number;
    'Shared Hit Blocks': number;
    'Shared Read Blocks': number;
    Plans?: Plan[];
  }

  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

  /** How PostgreSQL runs the two statements that a page takes: the list and the count. */
  async function plansOf(q: string): Promise<{ total: number; list: Plan[]; count: Plan[] }> {
    const { pool } = service.books;
    const sent: Statement[] = [];
    const stop = listen((statement) => sent.push(statement));
    const { status, body } = await busy.rest('GET', path(q)).finally(stop);
    expect(status).toBe(200);

    const statements = sent.filter(({ text }) => text.includes('"customers"'));
    expect(statements.map(({ text }) => /^SELECT COUNT/i.test(text))).toEqual([false, true]);
    const explained = statements.map(async ({ text, values }) => {
      const explain = `explain (analyze, format json) ${text}`;
      const { rows } = await asTenant(busy.tenantId, () => pool.query(explain, values));
      return nodes(rows[0]['QUERY PLAN'][0].Plan);
    });
    const [list = [], count = []] = await Promise.all(explained);
    return { total: body.meta.total, list, count };
  }

  /** How many customers were looked at. */
  const rowsRead = (plan: Plan[]): number =>
    plan
      .filter((node) => node['Relation Name'] === 'customers')
      .map((n) => n['Actual Rows'] + (n['Rows Removed by Filter'] ?? 0) + (n['Rows Removed by Index Recheck'] ?? 0))
      .reduce((a, b) => a + b, 0);

  /** How much of the trigram index was read, in blocks. */
  const indexBlocks = (plan: Plan[]): number =>
    plan
      .filter((node) => node['Index Name'] === 'customers_search_idx')
      .reduce((sum, node) => sum + node['Shared Hit Blocks'] + node['Shared Read Blocks'], 0);

  const scans = (plan: Plan[]): string[] => [
    ...new Set(plan.filter((node) => /Scan/.test(node['Node Type'])).map((n) => n['Index Name'] ?? n['Node Type'])),
  ];

  it.for<[string, string, number]>([
    ['a name', 'partner 4711', 11],
    ['a part of an e-mail address', 'OFFICE31415@', 1],
    ['a VAT number', '000007919', 1],
    ['what matches nothing', 'no such thing', 0],
    ['letters beyond ASCII', 'ärzte', 50],
    ['letters beyond ASCII in capitals', 'DIE ÄRZTE 7', 2],
    ['letters none of which are ASCII', 'ΑΘΉΝΑ', 50],
    ['a Greek word of two spellings', 'Αθήνας', 0],
    ['letters that match nothing, none of which are ASCII', 'дом', 0],
  ])('the trigram index serves list and count: %s', async ([, q, total], { skip }) => {
    skip(asciiOnly && /[^ -~]/.test(q), 'the system has no C.UTF-8: for pg_trgm, letters are those of ASCII');
    const plans = await plansOf(q);
    expect(plans.total).toBe(total);
    for (const plan of [plans.list, plans.count]) {
      expect(scans(plan)).toEqual(['Bitmap Heap Scan', 'customers_search_idx']);
      expect(rowsRead(plan)).toBeLessThanOrEqual(total + customersEach / 1000);
    }
  });

  it('a q that most match reads hardly more than the page it lists', async () => {
    const { total, list, count } = await plansOf('gmbh');
    expect(total).toBe(customersEach);
    expect(scans(list)).toEqual(['customers_pkey']);
    expect(rowsRead(list)).toBeLessThanOrEqual(200);
    expect(rowsRead(count)).toBe(customersEach);
  });

  it.each(['a', 'ä', '%', 'q'])("a q too short for trigrams, %s, reads no other tenant's customers", async (q) => {
    const { list, count } = await plansOf(q);
    expect(rowsRead(list)).toBeLessThanOrEqual(customersEach);
    expect(rowsRead(count)).toBeLessThanOrEqual(customersEach);
  });

  it('customers just added do not slow the search down', async () => {
    const before = await plansOf('partner 31415');
    const data = Array.from({ length: 2000 }, (_, n) => ({
      type: 'CUSTOMER' as const,
      companyName: `Newcomer ${n} KG`,
      email: `newcomer${n}@example.com`,
    }));
    await busy.db.customer.createMany({ data });
    const after = await plansOf('partner 31415');
    expect(after.total).toBe(1);
    for (const plan of [after.list, after.count]) expect(scans(plan)).toEqual(scans(before.list));
    expect(indexBlocks(after.count)).toBeLessThanOrEqual(2 * indexBlocks(before.count));
  });
});
