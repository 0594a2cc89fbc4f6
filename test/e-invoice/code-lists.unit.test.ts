import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { codeLists, hadCode, hasCode, type CodeListName } from '../../schema/codes/code-lists.ts';
import { countryCodes } from '../../schema/graphql/input/validators.ts';
import { prepare } from '../../schema/documents/e-invoice/prepare.ts';
import { typical } from './invoices.ts';

const day = /^\d{4}-\d\d-\d\d$/;
const names = Object.keys(codeLists) as CodeListName[];

describe.each(names)('the code list %s', (name) => {
  const { title, editions } = codeLists[name];

  it('says of each edition its version, dates, and source; codes are sorted and each there once', () => {
    expect(title).not.toBe('');
    for (const { version, published, source, codes } of editions) {
      expect(version).not.toBe('');
      expect(published).toMatch(day);
      expect(source).toMatch(/\.(sch|xsd|xml)$/);
      const all = codes.flatMap((line) => line.split(' '));
      expect(all).toEqual([...new Set(all)].toSorted());
      for (const code of all) expect(code).toMatch(/^[0-9A-Z]{2,4}$/);
    }
  });

  it('begins with an edition for all days before the others, which are in order', () => {
    const [first, ...later] = editions.map(({ from }) => from);
    expect(first).toBeNull();
    for (const from of later) expect(from).toMatch(day);
    expect(later).toEqual([...new Set(later)].toSorted());
  });
});

describe('the edition of a code list', () => {
  it('is that of the date of issue: Peppol BIS 3.0.21 is mandatory from 2026-08-24', () => {
    const dropped = '0037 0147 0154 0158 0170 0177 0193 0194 0202 0203 0205 0212 0213 0215 0217'.split(' ');
    const changed = (list: CodeListName, code: string) =>
      ['0001-01-01', '2026-08-23', '2026-08-24', '9999-12-31'].map((on) => hasCode(list, code, on));
    for (const code of dropped) expect(changed('peppol-address-schemes', code)).toEqual([true, true, false, false]);
    expect(changed('peppol-address-schemes', '0248')).toEqual([false, false, true, true]);
    expect(changed('peppol-currencies', 'BGN')).toEqual([true, true, false, false]);
    expect(changed('peppol-currencies', 'XCG')).toEqual([false, false, true, true]);
    expect(changed('en-address-schemes', '0213')).toEqual([true, true, true, true]);
    expect(hadCode('peppol-address-schemes', '0213')).toBe(true);
    expect(hadCode('peppol-address-schemes', 'EM')).toBe(false);
  });

  it('of countries in UBL has every country that can be given; that in CII lacks South Sudan', () => {
    const missing = (list: CodeListName) => [...countryCodes].filter((code) => !hasCode(list, code, '2026-11-23'));
    expect([missing('ubl-countries'), missing('cii-countries')]).toEqual([[], ['SS']]);
  });
});

it('a VAT number becomes an address by which businesses are registered in Peppol today', () => {
  const addressOf = (vatId: string) =>
    prepare(
      { ...typical, issueDate: '2026-11-23', buyer: { ...typical.buyer, vatId, electronicAddress: undefined } },
      'peppol',
    ).buyer.electronicAddress;
  for (const [vatId, scheme, value] of [
    ['FI12345678', '0216', '003712345678'],
    ['BE0202239951', '0208', '0202239951'],
    ['BE 0202.239.951', '0208', '0202239951'],
    ['NO974760673MVA', '0192', '974760673'],
    ['SE556036079301', '0007', '5560360793'],
    ['DK12345678', '0184', 'DK12345678'],
    ['DE123456789', '9930', 'DE123456789'],
    ['NL123456789B01', '9944', 'NL123456789B01'],
    ['FI1', 'EM', typical.buyer.contact.email],
  ])
    expect(addressOf(vatId ?? '')).toEqual({ scheme, value });
  const prefixes =
    'AD AL AT BA BE BG CH CY CZ DE EE EL ES FR GB GR HR HU IE IT LI LT LU LV MC ME MK MT NL PL PT RO RS SI SK SM TR VA';
  for (const prefix of prefixes.split(' ')) {
    const { scheme = '' } = addressOf(`${prefix}12345678`) ?? {};
    expect([prefix, hasCode('peppol-address-schemes', scheme, '2026-11-23')]).toEqual([prefix, true]);
  }
});

it('the script of code lists names the lists that there are, and refuses a file without the list', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['src/dev/code-lists.ts', ...args], { encoding: 'utf8' }).stderr;
  expect(run()).toContain(names.toSorted().join(', '));
  const options = ['--version', '1', '--published', '2026-01-01'];
  expect(run('en-units', ...options, 'src/dashboard/icon.svg')).toContain('does not have the list');
});
