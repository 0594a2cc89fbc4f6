import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { fold } from '../../schema/graphql/filters/search.ts';
import { type Integrator } from '../harness.ts';
import { service, serveSearches, tenantWith, path, search } from './customers.ts';

serveSearches();

describe('q searches company_name, email, city, and vat_id', () => {
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

  it('at the beginning, in the middle, at the end, and across words', async () => {
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
    expect(await search(tenant, 'city\nBad')).toEqual(['by city']); // two words, each in a field
  });

  it('also with a q of one or two characters', async () => {
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
  ])('answers 422 to a q %s', async (_what, q, message) => {
    const { status, body } = await tenant.rest('GET', path(q));
    expect(status).toBe(422);
    expect(body.errors).toEqual({ q: [message] });
  });
});

describe('a search ignores case', () => {
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
    const tenant = await tenantWith(name, 'XYZ 777');
    for (const q of queries) expect({ q, found: await search(tenant, q) }).toEqual({ q, found: [name] });
  });

  it('finds words in any order, each in any field', async () => {
    const tenant = await tenantWith(
      { companyName: 'Galerie Watt 1207 GmbH', city: 'Zürich' },
      { companyName: 'Watt & Söhne', city: 'Berlin', email: 'galerie@watt.example' },
      { companyName: 'Elsewhere', city: 'Bern' },
    );
    const [galerie, soehne] = ['Galerie Watt 1207 GmbH', 'Watt & Söhne'];
    for (const q of ['galerie 12', '12 GALERIE', 'zurich watt', '  gmbh\u00a0 207\tgal ', 'watt watt 1207'])
      expect({ q, found: await search(tenant, q) }).toEqual({ q, found: [galerie] });
    expect(await search(tenant, 'watt galerie')).toEqual([galerie, soehne]);
    expect(await search(tenant, 'sohne berlin')).toEqual([soehne]);
    expect(await search(tenant, 'galerie bern')).toEqual([]);
    expect(await search(tenant, 'galerie 13')).toEqual([]);
  });
});

describe('a search ignores accents', () => {
  it.each([
    ['Gasthaus Löwen', ['lowen', 'löwen', 'lo\u0308wen', 'LÖWEN', 'LO\u0308WEN']],
    ['Gasthaus Lo\u0308wen', ['lowen', 'löwen', 'Ö']],
    ['Café Société', ['cafe societe', 'cafe\u0301', 'CAFÉ', 'société café']],
    ['Cafe\u0301', ['cafe', 'café', 'CAFÉ']],
    ['Groß & Söhne', ['gross', 'GROSS', 'groß', 'GROẞ', 'sohne']],
    ['Gross', ['groß', 'GROẞ', 'ß']],
    ['Łódź Çağ Ørsted Đorđe', ['lodz', 'cag', 'orsted', 'dorde', 'łodz', 'Örsted']],
    ['Ægir Œuvre Þór', ['aegir', 'oeuvre', 'thor', 'ÆGIR', 'þor']],
    ['İstanbul Işık', ['istanbul', 'isik', 'ışık', 'ISIK', 'İSTANBUL']],
    ['Nguyễn Đức', ['nguyen duc', 'nguyễn', 'NGUYỄN']],
    ['Αθήνα', ['αθηνα', 'ΑΘΗΝΑ', 'Αθήνα']],
  ])('%s is found by %j', async (name, queries) => {
    const tenant = await tenantWith(name, 'XYZ 777');
    for (const q of queries) expect({ q, found: await search(tenant, q) }).toEqual({ q, found: [name] });
  });

  it('PostgreSQL folds stored text as the service folds q', async () => {
    const letters = Array.from({ length: 0x250 }, (_, at) => String.fromCodePoint(at + 1)).filter((x) => x !== '\0');
    const greek = Array.from({ length: 0x100 }, (_, at) => String.fromCodePoint(0x370 + at));
    const vietnamese = Array.from({ length: 0x100 }, (_, at) => String.fromCodePoint(0x1e00 + at));
    const all = [...letters, ...greek, ...vietnamese].map((letter) => `${letter} x`);
    const { rows } = await service.pool.query<{ text: string; folded: string }>(
      'select text, search_fold(text) as folded from unnest($1::text[]) as text',
      [all],
    );
    const different = rows.filter(({ text, folded }) => fold(text) !== folded);
    expect(different.map(({ text, folded }) => ({ text, folded, ours: fold(text) }))).toEqual([]);
  });

  it('finds exactly the rows with each word in a field, in any case, with any accents, and in any order', async () => {
    const letters = [...'aAbBzZ09äÄßẞéÉñÑøØłαΑθΘσΣςжЖйЙ🎉中%_\\\'"()[]*+?.^$|;-/@ ', 'e\u0301', 'o\u0308', 'A\u030a'];
    const word = (sizes: { minLength: number; maxLength: number }) =>
      fc.string({ ...sizes, unit: fc.constantFrom(...letters) }).map((text) => text.trim());
    const rows = fc
      .sample(
        fc.tuple(
          word({ minLength: 1, maxLength: 12 }),
          fc.option(word({ minLength: 1, maxLength: 8 }), { nil: undefined }),
        ),
        { numRuns: 100, seed: 20_260_131 },
      )
      .map(([name, city], index) => ({ companyName: `${index} ${name}`.trim(), ...(city && { city }) }));
    const tenant = await tenantWith(...rows);

    // A straightforward implementation of the rule.
    const special: Record<string, string> = { ß: 'ss', ø: 'o', ł: 'l', ς: 'σ' };
    const plain = (text: string): string =>
      [...text.normalize('NFD')]
        .filter((letter) => !(letter >= '\u0300' && letter <= '\u036f'))
        .map((letter) => letter.toLowerCase())
        .map((letter) => special[letter] ?? letter)
        .join('');
    const isFound = (row: (typeof rows)[number], q: string): boolean =>
      q
        .split(/\s+/)
        .filter(Boolean)
        .every((each) => [row.companyName, row.city ?? ''].some((field) => plain(field).includes(plain(each))));

    const part = fc
      .tuple(fc.constantFrom(...rows), fc.nat(), fc.nat(), fc.boolean(), fc.constantFrom('NFC', 'NFD', 'NFKC'))
      .map(([{ companyName, city }, from, length, capital, form]) => {
        const text = [...`${city ?? ''} ${companyName}`.normalize(form === 'NFKC' ? 'NFC' : form)];
        const cut = text.slice(from % text.length).slice(0, 1 + (length % text.length));
        // ẞ is the only capital of ß with one letter.
        return cut.map((letter) => (capital ? letter.replace('ß', 'ẞ').toUpperCase() : letter.toLowerCase())).join('');
      })
      .filter((q) => q.isWellFormed());
    const several = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.oneof(several, word({ minLength: 1, maxLength: 3 })), async (q) => {
        fc.pre(q.trim() !== '');
        expect(await search(tenant, q)).toEqual(
          rows.filter((row) => isFound(row, q)).map(({ companyName }) => companyName),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('PostgreSQL keeps the text that is searched, whoever writes the row', async () => {
    const { rows } = await service.pool.query<{ text: string }>(
      `insert into customers (tenant_id, id, type, company_name, updated_at)
       select gen_random_uuid(), gen_random_uuid(), 'customer', name, now() from unnest(array['Löwen', 'Œuvre']) as name
       returning search_text as text`,
    );
    expect(rows.map(({ text }) => text).toSorted()).toEqual(['lowen\n\n\n', 'oeuvre\n\n\n']);
  });
});

describe("LIKE's wildcards match only themselves", () => {
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

describe('a list with q', () => {
  it('is narrowed by type too', async () => {
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

  it('is paged newest first, with links that keep q', async () => {
    const tenant = await tenantWith('Ärzte 1', 'other', 'Ärzte 2', 'Ärzte 3');
    const first = await tenant.rest('GET', '/customers?q=%C3%A4rzte&per_page=2');
    expect(first.body.data.map((customer: { company_name: string }) => customer.company_name)).toEqual([
      'Ärzte 3',
      'Ärzte 2',
    ]);
    expect(first.body.meta).toEqual({ current_page: 1, per_page: 2, total: 3, last_page: 2, from: 1, to: 2 });
    expect(new URL(first.body.links.next).searchParams.get('q')).toBe('ärzte');
  });

  it('has no customers of another tenant', async () => {
    const acme = await tenantWith('Needle of Acme');
    const other = await tenantWith('Needle of the other', { companyName: 'x', email: 'needle@example.com' });
    expect(await search(acme, 'needle')).toEqual(['Needle of Acme']);
    expect(await search(other, 'needle')).toEqual(['Needle of the other', 'x']);
    expect(await search(other, 'acme')).toEqual([]);
  });
});
