import { z } from 'zod';

/** The content of `manifest.json` in a backup. */
export const manifestSchema = z.object({
  /** The version of the backup's format. The second one had no files. */
  format: z.union([z.literal(2), z.literal(3)]),
  createdAt: z.iso.datetime(),
  /** The names of the migrations that made its tables. */
  migrations: z.array(z.string()).min(1),
  secret: z.object({ salt: z.base64(), sealed: z.base64() }),
  /** In the order of the archive. The rows of each are at `tables/NAME`, in the text format of PostgreSQL's COPY. */
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()).min(1),
      rows: z.int().min(0),
      bytes: z.int().min(0),
      sha256: z.hex(),
    }),
  ),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string().nullable() })),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** The first format had no MAC. */
export const isUnauthenticated = (manifest: unknown): boolean =>
  z.object({ format: z.literal(1) }).safeParse(manifest).success;

/** Far more than the names of all tables, columns, and migrations need. */
export const maxManifestBytes = 4 * 1024 * 1024;

export const manifestEntry = 'manifest.json';
/** HMAC-SHA-256 of the manifest's bytes under a key from the passphrase. The manifest has the hashes of the rows. */
export const macEntry = 'manifest.mac';
/** A file of the storage, by its key. The rows of attachments have the hash. */
export const fileEntry = (key: string): string => `files/${key}`;
export const tableEntry = (name: string): string => `tables/${name}`;
