import { inflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { makeStorableLogo } from '../../schema/documents/pdf/logo.ts';
import { decodePng } from '../../schema/documents/pdf/png.ts';
import { loadTypesetter } from '../../schema/documents/pdf/typesetter.ts';
import { type DocumentLook, renderPdf } from '../../schema/documents/pdf/render-pdf.ts';
import { buildInvoice, logoPng, nameOnly, storableLogo } from './invoices.ts';

const look: DocumentLook = { language: 'de', accentColor: '#175c63' };
const xml = Buffer.from('<?xml version="1.0" encoding="UTF-8"?><rsm:CrossIndustryInvoice/>');

/** The metadata, which is not compressed. */
const metadataOf = (pdf: Buffer): string =>
  /<\?xpacket begin[\s\S]*<\?xpacket end="w"\?>/.exec(pdf.toString())?.[0] ?? '';

/** The text of elements by their name. */
function elementsOf(metadata: string): Map<string, string> {
  const elements = new Map<string, string>();
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => void open.push(name));
  parser.on('closetag', () => void open.pop());
  parser.on('text', (text) => {
    const name = open.findLast((each) => !each.startsWith('rdf:')) ?? '';
    if (text.trim() !== '') elements.set(name, (elements.get(name) ?? '') + text.trim());
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(metadata).close();
  return elements;
}

/** All decompressed streams. */
const streamsOf = (pdf: Buffer): string =>
  [...pdf.toString('latin1').matchAll(/stream\n([\s\S]*?)\nendstream/g)]
    .map(([, stream = '']) => Buffer.from(stream, 'latin1'))
    .map((bytes) => (bytes[0] === 0x78 ? inflateSync(bytes).toString('latin1') : ''))
    .join('\n');

describe('a PDF', () => {
  it('has the same bytes on every run, whatever was drawn before', async () => {
    const invoice = buildInvoice([{ name: 'Öl für Gelenke' }]);
    const bytes = await renderPdf(invoice, look, { xml });
    await renderPdf(buildInvoice([{ name: 'ö l f' }]), { ...look, language: 'en' });
    expect((await renderPdf(invoice, look, { xml })).equals(bytes)).toBe(true);
    const other = await renderPdf(buildInvoice([{ name: 'Öl für Gelenke!' }]), look, { xml });
    const idOf = (pdf: Buffer) => /\/ID \[<(\w+)>/.exec(pdf.toString('latin1'))?.[1];
    expect(idOf(bytes)).toMatch(/^[0-9a-f]{32}$/);
    expect(idOf(other)).not.toBe(idOf(bytes));
  });

  it('says which character a glyph is for, if another document used the glyph for another one', async () => {
    // The increment sign and delta look the same.
    await renderPdf(buildInvoice([{ name: '\u2206' }]), look);
    const streams = streamsOf(await renderPdf(buildInvoice([{ name: '\u0394' }]), look));
    expect(['<0394>', '<2206>'].map((character) => streams.includes(character))).toEqual([true, false]);
  });

  it('is PDF/A-3b, with the profile of its attachment, and metadata that is XML whatever the names are', async () => {
    const seller = nameOnly('<Müller> & Söhne\u0007 GmbH');
    const metadata = elementsOf(metadataOf(await renderPdf(buildInvoice([{ name: 'Öl' }], { seller }), look, { xml })));
    expect(Object.fromEntries(metadata)).toMatchObject({
      'pdfaid:part': '3',
      'pdfaid:conformance': 'B',
      'dc:title': 'Rechnung 2026-0042',
      'dc:creator': '<Müller> & Söhne  GmbH',
      'dc:language': 'de',
      'fx:DocumentType': 'INVOICE',
      'fx:DocumentFileName': 'factur-x.xml',
      'fx:Version': '1.0',
      'fx:ConformanceLevel': 'EN 16931',
      'xmp:CreateDate': '2026-11-22T00:00:00Z',
    });
    const xrechnung = await renderPdf(buildInvoice([{ name: 'Öl' }]), look, { xml, profile: 'XRECHNUNG' });
    expect(elementsOf(metadataOf(xrechnung)).get('fx:ConformanceLevel')).toBe('XRECHNUNG');
    expect(elementsOf(metadataOf(await renderPdf(buildInvoice([{ name: 'Öl' }]), look))).has('fx:DocumentType')).toBe(
      false,
    );
  });

  it('says what its parts are: title, tables with header cells, figures with a description', async () => {
    const pdf = await renderPdf(buildInvoice([{ name: 'Öl' }]), { ...look, logo: await storableLogo() });
    const text = pdf.toString('latin1');
    expect(text).toContain('/Marked true');
    expect(text).toContain('/Lang (de)');
    for (const type of ['Document', 'H1', 'H2', 'P', 'Table', 'TR', 'TH', 'TD', 'Figure'])
      expect(text).toContain(`/S /${type}\n`);
    const columns = text.split('/Scope /Column').length - 1;
    expect(columns).toBe(6);
    const descriptions = [...text.matchAll(/\/Alt \(([^)]*)\)/g)].length;
    expect(descriptions).toBe(2);
  });

  it('embeds the glyphs that it has, of fonts that have tens of thousands', async () => {
    const pdf = await renderPdf(
      buildInvoice([{ name: '北京市朝阳区：硬件维护' }], { buyer: nameOnly('株式会社テスト') }),
      look,
    );
    expect(pdf.toString('latin1')).toMatch(/\/FontName \/[A-Z]{6}\+NotoSansJP/);
    expect(pdf.length).toBeLessThan(100_000);
  });

  it('draws nothing outside of the structure that is not marked as an artifact', async () => {
    const invoice = buildInvoice(Array.from({ length: 40 }, (_, index) => ({ name: `Posten ${index} 漢字` })));
    let depth = 0;
    for (const operator of streamsOf(await renderPdf(invoice, look)).matchAll(/\b(BMC|BDC|EMC|TJ|re|l)\n/g)) {
      if (operator[1] === 'BMC' || operator[1] === 'BDC') depth++;
      else if (operator[1] === 'EMC') depth--;
      else expect(depth, `${operator[1]} at ${operator.index}`).toBeGreaterThan(0);
    }
    expect(depth).toBe(0);
  });

  it('has no byte of an attachment and no transparency as PDF/A-1b', async () => {
    const pdf = (await renderPdf(buildInvoice([{ name: 'Öl' }]), look, undefined, 'PDF/A-1b')).toString('latin1');
    expect(pdf.startsWith('%PDF-1.4')).toBe(true);
    expect(pdf).not.toMatch(/EmbeddedFile|SMask/);
  });

  it('shows the name instead of a picture that it would have to decode', async () => {
    const invoice = buildInvoice([{ name: 'Öl' }]);
    const plain = await renderPdf(invoice, look);
    for (const logo of [Buffer.from('no image'), logoPng(), (await storableLogo()).subarray(0, -20)])
      expect(await renderPdf(invoice, { ...look, logo })).toEqual(plain);
  });

  it('has a logo on white, no larger than a printer can show', async () => {
    const large = new PNG({ width: 3000, height: 300 });
    for (let at = 0; at < large.data.length; at += 4)
      large.data.set((at / 4) % 3000 < 1500 ? [255, 0, 0, 255] : [0, 0, 0, 0], at);
    const { width, height, data } = PNG.sync.read(await makeStorableLogo(await decodePng(PNG.sync.write(large))));
    expect([width, height]).toEqual([886, 89]);
    expect([...data.subarray(0, 4), ...data.subarray(-4)]).toEqual([255, 0, 0, 255, 255, 255, 255, 255]);
    const small = PNG.sync.read(await storableLogo());
    expect([small.width, small.height]).toEqual([240, 160]);
    expect(
      (await renderPdf(buildInvoice([{ name: 'Öl' }]), { ...look, logo: await storableLogo() })).includes('SMask'),
    ).toBe(false);
  });
});

describe('the typesetter', () => {
  it.each([
    ['Chinese', '北京市朝阳区建国路，繁體：憂鬱臺灣', ['NotoSansSC-Regular']],
    ['Japanese', '株式会社　東京支店：ハードウェア保守のお見積り', ['NotoSansJP-Regular']],
    ['Korean', '서울특별시 강남구 테헤란로', ['NotoSansKR-Regular', 'Inter-Regular']],
    ['Chinese among Japanese', 'トヨタ北京汉语', ['NotoSansJP-Regular', 'NotoSansSC-Regular']],
  ])('writes %s by a font of its own', async (_name, text, fonts) => {
    const { runs } = (await loadTypesetter(text)).line(text, {});
    expect(runs.filter(({ actual }) => actual !== undefined)).toEqual([]);
    expect(new Set(runs.map(({ face }) => face.name))).toEqual(new Set(fonts));
  });

  it('reads the fonts of East Asia only for documents that need them', async () => {
    const names = async (text: string) => (await loadTypesetter(text)).faces.map(({ name }) => name);
    expect((await names('Müller, ‘Ж’ 😀 א')).filter((name) => /Sans(SC|JP|KR)/.test(name))).toEqual([]);
    expect(await names('漢')).toContain('NotoSansSC-Regular');
  });

  it('breaks lines between words, a longer word anywhere, and keeps every character', async () => {
    const typesetter = await loadTypesetter();
    const lines = typesetter.wrap('Ein Wort und Donaudampfschifffahrtsgesellschaft', {}, 10).map(({ text }) => text);
    expect(lines.join('').replaceAll(' ', '')).toBe('EinWortundDonaudampfschifffahrtsgesellschaft');
    expect(lines[0]).toMatch(/^Ein Wort und/);
    for (const line of typesetter.wrap('W'.repeat(200), {}, 10)) expect(line.width).toBeLessThanOrEqual(10);
  });

  it('puts Hebrew and Arabic in visual order, with numbers from left to right and brackets mirrored', async () => {
    const typesetter = await loadTypesetter();
    const runs = (text: string): string[] => typesetter.line(text, {}).runs.map((run) => run.text);
    expect(runs('שלום 12 (א).')).toEqual(['.(', 'א', ') ', '12', ' ', 'שלום']);
    expect(runs('AB שלום')).toEqual(['AB ', 'שלום']);
    // fontkit gives the glyphs of a run from left to right.
    const glyphsOf = (text: string) =>
      typesetter
        .line(text, {})
        .runs.flatMap(({ face, text: run }) =>
          face.font.layout(run).glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)),
        );
    expect(glyphsOf('١٢٣')).toEqual(['١', '٢', '٣']);
    expect(glyphsOf('۱۲۳')).toEqual(['۱', '۲', '۳']);
    expect(glyphsOf('אבג')).toEqual(['ג', 'ב', 'א']);
  });

  it('ignores characters that would change the order of what follows', async () => {
    const typesetter = await loadTypesetter();
    const [line] = typesetter.wrap('\u202e100,00\u202c €', {}, 100);
    expect(line?.runs.map(({ text }) => text).join('')).toBe('100,00 €');
  });

  it('draws □ for what no font has, says what it stands for, and never draws .notdef', async () => {
    const typesetter = await loadTypesetter();
    const drawn = (text: string) => typesetter.line(text, {}).runs.map((run) => [run.text, run.actual]);
    expect(drawn('a\u0007b')).toEqual([
      ['a', undefined],
      ['□', '\u0007'],
      ['b', undefined],
    ]);
    expect(drawn('𓀀𓀁')).toEqual([['□□', '𓀀𓀁']]);
    expect(drawn('\ud800')).toEqual([['□', '\ufffd']]);
    expect(drawn('\uffff')).toEqual([['□', '\uffff']]);
    // An invisible character is not replaced, and has no width.
    const invisible = typesetter.line('a\u200bb\u00adc\ufeff', {});
    expect(invisible.width).toBe(typesetter.line('abc', {}).width);
    expect(invisible.runs.every(({ actual }) => actual === undefined)).toBe(true);
  });

  it('draws an emoji of several characters as one glyph', async () => {
    const { runs } = (await loadTypesetter()).line('👩‍💻🇩🇪👍🏽', {});
    expect(runs.map(({ face, text }) => face.font.layout(text).glyphs.length)).toEqual([3]);
  });
});
