import { hash } from 'node:crypto';
import { z } from 'zod';

// The content of a proof, as text, and its hash. Version 1 had no time, and at first no data. Version 3 is of receipts
// with attachments. Proofs of all versions stay valid.

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const files = z.record(z.string(), sha256);
const firstVersion = z.strictObject({ number: z.string(), files, data: sha256.optional() });
const secondVersion = z.strictObject({
  version: z.literal(2),
  number: z.string(),
  /** When it was proven. */
  at: z.iso.datetime(),
  /** The hash of each file, by its format. */
  files,
  /** The hash of what the document says (proven-data.ts). */
  data: sha256,
});

/** Of a receipt. */
const thirdVersion = z.strictObject({
  version: z.literal(3),
  /** Its id: its number is the supplier's. */
  receipt: z.uuid(),
  at: z.iso.datetime(),
  /** The hash of each attachment, in their order. */
  attachments: z.array(sha256).min(1),
  /** The hash of the receipt as it was booked (proven-receipt.ts). */
  data: sha256,
});

export type NewContent = Omit<z.infer<typeof secondVersion>, 'version'>;
export type DocumentContent = z.infer<typeof firstVersion> | z.infer<typeof secondVersion>;
export type ReceiptContent = z.infer<typeof thirdVersion>;
export type ProofContent = DocumentContent | ReceiptContent;

export const isOfReceipt = (content: ProofContent): content is ReceiptContent => 'receipt' in content;

const sorted = (hashes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(hashes).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** `{"version":2,"number":"2026-0017","at":"2026-11-27T…Z","files":{"pdf":"9f86…","peppol":"60b7…"},"data":"2c26…"}` */
export const writeContent = ({ number, at, files: hashes, data }: NewContent): string =>
  JSON.stringify({ version: 2, number, at, files: sorted(hashes), data });

/** `{"version":3,"receipt":"0197…","at":"2026-11-27T…Z","attachments":["9f86…"],"data":"2c26…"}` */
export const writeReceiptContent = ({ receipt, at, attachments, data }: Omit<ReceiptContent, 'version'>): string =>
  JSON.stringify({ version: 3, receipt, at, attachments, data });

/** Reads the content of a proof; undefined for a text that no proof would be written as. */
export function readContent(text: string): ProofContent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = z.union([thirdVersion, secondVersion, firstVersion]).safeParse(value);
  if (!data) return undefined;
  if (isOfReceipt(data)) return writeReceiptContent(data) === text ? data : undefined;
  const { number, files: hashes } = data;
  const written =
    'version' in data ? writeContent(data) : JSON.stringify({ number, files: sorted(hashes), data: data.data });
  return written === text ? data : undefined;
}

/** The hash of a proof. @param before the hash of the proof before; undefined for the first one */
export const computeHash = (before: Uint8Array | undefined, content: string): Buffer<ArrayBuffer> =>
  hash('sha256', Buffer.concat([before ?? Buffer.alloc(32), Buffer.from(content)]), 'buffer') as Buffer<ArrayBuffer>;
