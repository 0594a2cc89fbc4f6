import { expect } from 'vitest';
import { chunk, header, lengthOfLines, buildPng, put } from '../../documents/pngs.ts';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const rounds = size('ROUNDS', { suite: 2, full: 30 });
const atOnce = 4;

const wide = { width: 400, height: 50 };
const large = { width: 4000, height: 4000 };
const zeros = (shape: { width: number; height: number; bitDepth?: number }, missing = 0): Buffer =>
  Buffer.alloc(lengthOfLines(shape) - missing);

/** An image by which memory shows, and images that take much of it. */
const logos: Buffer<ArrayBuffer>[] = [
  buildPng(wide, zeros(wide, wide.width * 4)),
  buildPng(wide, zeros(wide, 1)),
  buildPng({ ...wide, isInterlaced: true }, zeros(wide, 9_000)),
  put(header(wide), header({ width: 20_000, height: 20_000 }), chunk('IDAT'), chunk('IEND')),
  buildPng(large, Buffer.alloc(100)),
  buildPng({ width: 16_000_000, height: 1, bitDepth: 16 }, Buffer.alloc(100)),
  Buffer.from('GIF89a'),
];

const document = `mutation ($input: UpdateCompanyInput!) { updateCompany(input: $input) { logo { base64 } } }`;

async function prepare({ url }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await attacker.graphql(document, { input: { legalName: 'Attack' } });
  const upload = async (logo: Buffer<ArrayBuffer>): Promise<void> => {
    const form = new FormData();
    form.append('operations', JSON.stringify({ query: document, variables: { input: { logo: null } } }));
    form.append('map', JSON.stringify({ logo: ['variables.input.logo'] }));
    form.append('logo', new Blob([logo]), 'logo.png');
    const headers = { authorization: `Bearer ${attacker.token}` };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: form });
    const { data, errors } = (await response.json()) as { data: unknown; errors: { extensions: { code: string } }[] };
    expect(data ?? null).toBeNull();
    expect(['VALIDATION_FAILED', 'RATE_LIMITED']).toContain(errors[0]?.extensions.code);
  };
  return async () => {
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(Array.from({ length: atOnce }, () => logos.map(upload)).flat());
  };
}

const attack: Attack = {
  title: `logos that declare more than they have, ${atOnce * logos.length} at once`,
  memoryGrowth: 500,
  prepare,
};
export default attack;
