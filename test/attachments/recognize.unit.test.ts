import { expect, it } from 'vitest';
import { headBytes, recognize, tailBytes } from '../../schema/resources/attachment/recognize.ts';
import { filename } from '../../schema/resources/attachment/rules.ts';
import { jpeg, makePdf, png, webp, xml } from './files.ts';

const recognized = (bytes: Buffer): string | undefined =>
  recognize(bytes.subarray(0, headBytes), bytes.subarray(-tailBytes), bytes.length);

const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');

it.each([
  ['a PDF', makePdf(), 'application/pdf'],
  ['a PDF with spaces behind its end', Buffer.concat([makePdf(), Buffer.alloc(500, ' ')]), 'application/pdf'],
  ['a PNG', png, 'image/png'],
  ['a JPEG', jpeg, 'image/jpeg'],
  ['a WebP', webp, 'image/webp'],
  ['XML', xml, 'application/xml'],
  ['XML with a byte order mark', Buffer.concat([Buffer.from('\uFEFF'), xml]), 'application/xml'],
  ['XML in UTF-16', utf16('<?xml version="1.0" encoding="UTF-16"?><Invoice/>'), 'application/xml'],
  ['XML without a declaration', Buffer.from('\n <Invoice xmlns="urn:example"><ID>1</ID>'), 'application/xml'],
  [
    'XML in Latin-1',
    Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><Rechnung a="ü">', 'latin1'),
    'application/xml',
  ],
])('takes %s', (_, bytes, type) => {
  expect(recognized(bytes)).toBe(type);
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['HTML', Buffer.from('<!DOCTYPE html><html><script>alert(1)</script></html>')],
  ['HTML without a DOCTYPE', Buffer.from('<html><script>alert(1)</script></html>')],
  ['XHTML', Buffer.from('<?xml version="1.0"?><a:html xmlns:a="http://www.w3.org/1999/xhtml"/>')],
  ['an element of XHTML', Buffer.from('<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>')],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['an SVG with a prefix', Buffer.from('<s:svg xmlns:s="http://www.w3.org/2000/svg"/>')],
  ['XML with a DTD', Buffer.from('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')],
  ['XML with a style sheet', Buffer.from('<?xml version="1.0"?><?xml-stylesheet href="a.xsl" type="text/xsl"?><a/>')],
  ['XML whose root element comes too late', Buffer.from(`<!-- ${'x'.repeat(headBytes)} --><a/>`)],
  ['XML without a root element', Buffer.from('<?xml version="1.0"?>')],
  ['an angle bracket', Buffer.from('<')],
  ['text', Buffer.from('Hello')],
  ['a ZIP', Buffer.from('PK\u0003\u0004')],
  ['a program', Buffer.from('7f454c46020101', 'hex')],
  ['a GIF', Buffer.from('GIF89a')],
  ['HTML before a PDF', Buffer.concat([Buffer.from('<html>'), makePdf()])],
  ['a PDF behind XML', Buffer.concat([Buffer.from('<a/>'), makePdf()])],
  ['XML that is cut off', xml.subarray(0, -1)],
  ['a PDF that is cut off', makePdf(5000).subarray(0, 3000)],
  ['HTML long behind a PDF', Buffer.concat([makePdf(), Buffer.from('<script>'), Buffer.alloc(2000, 'x')])],
  ['the beginning of a PNG', png.subarray(0, 8)],
  ['a WebP of another length', Buffer.concat([webp, Buffer.from('<script>')])],
  ['another RIFF', Buffer.from('RIFF\u0004\0\0\0WAVE')],
])('takes no %s', (_, bytes) => {
  expect(recognized(bytes)).toBeUndefined();
});

it.each(['a', 'Rechnung "Müller" & Söhne.pdf', "it's; a=b.pdf", '漢字 😀.png', '...', `${'x'.repeat(251)}.pdf`])(
  'takes the name %j',
  (name) => expect(filename.safeParse(name).success).toBe(true),
);

it.each([
  '',
  '  ',
  '.',
  '..',
  '../a.pdf',
  'a/b.pdf',
  'C:\\a.pdf',
  'a\nb.pdf',
  'a\r\nSet-Cookie: b.pdf',
  'a\tb.pdf',
  'a\0.pdf',
  'a\u2028b.pdf',
  'invoice\u202Efdp.exe',
  '\u200Fa.pdf',
  'a\u2066b.pdf',
  'a\ud800.pdf',
  'x'.repeat(256),
  'x'.repeat(10_000),
])('takes no name such as %j', (name) => {
  expect(filename.safeParse(name).success).toBe(false);
});
