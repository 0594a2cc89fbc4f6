import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { send } from '../bank/statement.ts';
import { makeInvoice } from '../graphql/books.ts';
import { makeIssuedInvoice, setCompany } from './parties.ts';
import { header, lengthOfLines, buildPng, put } from './pngs.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const shape = { width: 40, height: 20 };

type File = string | Uint8Array<ArrayBuffer>;

const update = `mutation ($input: UpdateCompanyInput!) {
  updateCompany(input: $input) { version logo { mediaType size sha256 base64 } } }`;

async function setLogo({ token }: Integrator, file: File) {
  const data = new FormData();
  data.append('operations', JSON.stringify({ query: update, variables: { input: { logo: null } } }));
  data.append('map', JSON.stringify({ logo: ['variables.input.logo'] }));
  data.append('logo', new Blob([file]), 'logo');
  const { status, body } = await send(service, data, { authorization: `Bearer ${token}` });
  return { status, body };
}

async function seller(): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who);
  return who;
}

const drawing = (content: string, attributes = 'width="300" height="100"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;

const square = drawing('<rect width="300" height="100" fill="#ff0000"/><text x="9" y="60">Logo</text>');

function picture(width: number, height: number): Buffer<ArrayBuffer> {
  const png = new PNG({ width, height });
  png.data.fill(128);
  return Buffer.from(PNG.sync.write(png));
}

/** The sizes of the images in an invoice's PDF. */
async function imagesOf({ token }: Integrator, invoiceId: string): Promise<string[]> {
  const response = await fetch(`${service.url}/api/v1/invoices/${invoiceId}/pdf`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const pdf = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return [...pdf.matchAll(/\/Subtype \/Image[\s\S]{0,200}?\/Width (\d+)\s+\/Height (\d+)/g)].map(
    ([, width, height]) => `${width}×${height}`,
  );
}

describe('the logo of a company profile', () => {
  it('is drawn from an SVG, or made again of a PNG, and removed by null', async () => {
    const [who, other] = [await seller(), await seller()];
    const { body } = await setLogo(who, square);
    const { logo, version } = body.data.updateCompany;
    expect([version, logo.mediaType]).toEqual([2, 'image/png']);
    const png = PNG.sync.read(Buffer.from(logo.base64, 'base64'));
    expect([png.width, png.height, [...png.data.subarray(0, 4)]]).toEqual([708, 236, [255, 0, 0, 255]]);
    expect((await setLogo(who, square)).body.data.updateCompany).toEqual({ version: 2, logo });
    const again = (await setLogo(who, picture(40, 20))).body.data.updateCompany.logo;
    expect(PNG.sync.read(Buffer.from(again.base64, 'base64'))).toMatchObject({ width: 40, height: 20 });
    expect(await who.db.companyLogo.count()).toBe(1);
    const removed = await who.graphql(update, { input: { logo: null } });
    expect(removed.updateCompany).toEqual({ version: 4, logo: null });
    expect(await who.db.companyLogo.count()).toBe(0);
    expect((await other.graphql('{ company { logo { size } } }')).company.logo).toBeNull();
  });

  it('is on documents as it was when they were issued', async () => {
    const who = await seller();
    const before = await makeIssuedInvoice(who);
    await setLogo(who, square);
    const [issued, later] = [await makeIssuedInvoice(who), await makeIssuedInvoice(who)];
    await setLogo(who, picture(40, 20));
    expect(await imagesOf(who, before)).toEqual([]);
    expect(await imagesOf(who, issued)).toEqual(['708×236']);
    expect(await imagesOf(who, await makeInvoice(who))).toEqual(['40×20']);
    await setCompany(who, { logo: null });
    expect(await imagesOf(who, later)).toEqual(['708×236']);
    expect(await imagesOf(who, await makeInvoice(who))).toEqual([]);
    expect(await who.db.companyLogo.count()).toBe(1);
  });

  it('is deleted with the profile’s, however many there were, unless an invoice that is issued at that time has it', async () => {
    const who = await seller();
    for (let size = 1; size <= 5; size++) await setLogo(who, picture(size, 9));
    expect(await who.db.companyLogo.count()).toBe(1);
    for (let count = 0; count < 5; count++) {
      const [, id] = await Promise.all([setLogo(who, picture(count + 20, 9)), makeIssuedInvoice(who)]);
      expect(await imagesOf(who, id)).toHaveLength(1);
    }
  });

  it('takes the ability to change the company profile, and no other', async () => {
    const who = await service.integrator({ abilities: ['company:write'] });
    await setCompany(who);
    expect((await setLogo(who, square)).body.data.updateCompany.logo.mediaType).toBe('image/png');
  });

  const nested = (depth: number, attributes = '') =>
    drawing(`${`<g ${attributes}>`.repeat(depth)}<rect width="9" height="9"/>${'</g>'.repeat(depth)}`);
  const refused: [name: string, file: File, message: string][] = [
    ['a text', 'GIF89a', 'Must be a PNG or an SVG.'],
    ['another picture', Buffer.from('ffd8ffe000104a464946', 'hex'), 'Must be a PNG or an SVG.'],
    ['other XML', '<html/>', 'Must be an SVG.'],
    ['XML that breaks off', drawing('<g>'), 'Is not valid XML'],
    ['an empty file', '', 'Must be a PNG or an SVG.'],
    ['too many bytes', Buffer.alloc(1024 * 1024 + 1), 'Must be at most 1 MiB.'],
    ['a GIF', Buffer.from('47494638396101000100800000000000ffffff2c', 'hex'), 'Must be a PNG or an SVG.'],
    ['a WebP', Buffer.from('524946462400000057454250565038', 'hex'), 'Must be a PNG or an SVG.'],
    ['a PNG that breaks off', picture(40, 20).subarray(0, 60), "Can't be read: it breaks off."],
    [
      'a PNG of too many pixels',
      buildPng({ width: 60_000, height: 60_000 }, Buffer.alloc(9)),
      'more than 16000000 pixels',
    ],
    [
      'a PNG whose last line has only its filter',
      buildPng(shape, Buffer.alloc(lengthOfLines(shape) - 160)),
      'incomplete',
    ],
    ['a PNG with a second header', put(header(shape), header({ width: 9000, height: 9000 })), 'not the first part'],
    ['a script', drawing('<script>fetch("/")</script>'), 'Must not have <script>.'],
    ['a page', drawing('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'), '<foreignObject>'],
    ['a picture in it', drawing('<image href="file:///etc/passwd" width="9" height="9"/>'), 'Must not have <image>.'],
    ['a filter', drawing('<filter id="f"/>'), 'Must not have <filter>.'],
    ['an external use', drawing('<use xlink:href="http://example.com/a.svg#a"/>'), 'refer to other files'],
    ['an external fill', drawing('<rect fill="url(http://example.com/#a)"/>'), 'refer to other files'],
    ['an external style', drawing('<style>@import "http://example.com/a.css";</style>'), 'refer to other files'],
    ['a style sheet', `<?xml-stylesheet href="a.css"?>${drawing('')}`, 'style sheet'],
    ['entities', `<!DOCTYPE svg [<!ENTITY a "&b;&b;"><!ENTITY b "x">]>${drawing('&a;')}`, 'declare entities'],
    ['an external entity', `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${drawing('&a;')}`, 'entities'],
    ['copies of copies', drawing('<g id="a"><use href="#b"/></g><g id="b"/><use href="#a"/>'), 'copies themselves'],
    ['a copy of itself', drawing('<g id="a"><use href="#a"/></g>'), 'copies themselves'],
    ['many copies', drawing(`<g id="a">${'<g/>'.repeat(999)}</g>${'<use href="#a"/>'.repeat(99)}`), '20000 elements'],
    ['many elements', drawing('<g/>'.repeat(20_001)), '20000 elements'],
    ['deep elements', nested(101), '100 deep'],
    ['no size', drawing('<rect/>', 'width="0" height="0"'), "Can't be drawn"],
    ['no height', drawing('<rect/>', 'width="1e9" height="1"'), "Can't be drawn"],
    ['a long text', drawing(`<text>${'a'.repeat(1_000_000)}</text>`), 'Takes too long'],
  ];
  it.each(refused)('is refused: %s', async (_name, file, message) => {
    const who = await seller();
    const { status, body } = await setLogo(who, file);
    expect([status, body.errors[0].extensions.errors]).toEqual([
      200,
      { 'input.logo': [expect.stringContaining(message)] },
    ]);
    expect(await who.db.companyLogo.count()).toBe(0);
  });

  it.each([
    ['a document type', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://w3.org/svg11.dtd">${square}`],
    ['a huge size', drawing('<rect width="1e9" height="1e9"/>', 'width="1e9" height="1e9"')],
    ['pictures on pictures', nested(98, 'opacity="0.5"')],
    ['what drawing programs store', drawing('<i:x xmlns:i="urn:i" href="/home/x"/><metadata/>')],
    ['clip paths', drawing('<clipPath id="c"><use xlink:href="#r"/></clipPath><rect id="r" clip-path="url(#c)"/>')],
  ])('can have %s', async (_name, file) => {
    const { body } = await setLogo(await seller(), file);
    expect(body.data.updateCompany.logo.mediaType).toBe('image/png');
  });
});
