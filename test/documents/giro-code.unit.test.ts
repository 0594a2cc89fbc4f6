import { Decimal } from '../../schema/money/decimal.ts';
import { describe, expect, it } from 'vitest';
import { giroCode } from '../../schema/documents/pdf/giro-code.ts';
import type { CreditTransfer, EInvoice } from '../../schema/documents/e-invoice/model.ts';
import { buildInvoice } from './invoices.ts';

const account: CreditTransfer = {
  reference: '2026-0042',
  iban: 'DE75 5121 0800 1245 1261 99',
  accountName: 'Bäckerei Müller & Söhne',
  bic: 'SOGEDEFFXXX',
};
const payload = (changes: Partial<EInvoice> = {}, price = '12.3'): string | undefined => {
  const bytes = giroCode(
    buildInvoice([{ name: 'Brot', unitPrice: price, vatCategory: 'Z' }], { payment: account, ...changes }),
  );
  return bytes && Buffer.from(bytes).toString();
};

describe('a GiroCode (EPC069-12)', () => {
  it('has the lines of the standard, in UTF-8, ended by LF, without the last lines that are empty', () => {
    expect(payload()).toBe(
      'BCD\n002\n1\nSCT\nSOGEDEFFXXX\nBäckerei Müller & Söhne\nDE75512108001245126199\nEUR12.30\n\n\n2026-0042',
    );
    expect(payload({ payment: { ...account, bic: undefined, reference: undefined } })).toBe(
      'BCD\n002\n1\nSCT\n\nBäckerei Müller & Söhne\nDE75512108001245126199\nEUR12.30',
    );
  });

  it('asks for what is still due', () => {
    const { totals } = buildInvoice([{ name: 'Brot', unitPrice: '100', vatCategory: 'Z' }], {}, '40.5');
    expect(payload({ totals })).toContain('\nEUR59.50\n');
  });

  it('shortens name and text to the limits, by characters, and keeps them on one line', () => {
    const name = payload({ payment: { ...account, accountName: 'ä'.repeat(80) } });
    expect(name?.split('\n')[5]).toBe('ä'.repeat(70));
    const text = payload({ payment: { ...account, reference: `a\nb\r\n${'x'.repeat(200)}` } });
    expect(text?.split('\n')[10]).toBe(`a b ${'x'.repeat(136)}`);
  });

  it('has amounts from 0.01 to 999,999,999.99', () => {
    expect(payload({}, '0.01')).toContain('\nEUR0.01\n');
    expect(payload({}, '999999999.99')).toContain('\nEUR999999999.99\n');
    expect(payload({}, '1000000000')).toBeUndefined();
    expect(payload({}, '0')).toBeUndefined();
    expect(payload({}, '-5')).toBeUndefined();
  });

  it.each<[string, Partial<EInvoice>]>([
    ['another currency than the euro', { currency: 'CHF' }],
    ['a credit note', { typeCode: '381' }],
    ['a draft', { number: undefined }],
    ['no account', { payment: undefined }],
    ['an account outside of SEPA', { payment: { ...account, iban: 'TR330006100519786457841326' } }],
    ['what is no IBAN', { payment: { ...account, iban: 'n/a' } }],
    ['more than 331 bytes', { payment: { ...account, accountName: '漢'.repeat(70), reference: '漢'.repeat(140) } }],
  ])('is not made for %s', (_, changes) => {
    expect(payload(changes)).toBeUndefined();
  });

  it('leaves a wrong BIC out', () => {
    expect(payload({ payment: { ...account, bic: 'unknown' } })?.split('\n')[4]).toBe('');
  });

  it('keeps the amount exact', () => {
    const due = new Decimal('123456789.01');
    const { totals } = buildInvoice([{ name: 'Brot' }]);
    expect(payload({ totals: { ...totals, due } })).toContain('\nEUR123456789.01\n');
  });
});
