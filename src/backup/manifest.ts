import { z } from 'zod';

/** The first thing to read of a backup, at `manifest.json`. */
export const manifestSchema = z.object({
  /** Of this file's own form; another number is another form. */
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Of the migrations that its tables are of. */
  migrations: z.array(z.string()).min(1),
  secret: z.object({ salt: z.base64(), sealed: z.base64() }),
  /** In the order of the archive. The rows of each are at `tables/NAME`, in the text format of PostgreSQL's COPY. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1), rows: z.int().min(0) })),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string().nullable() })),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const manifestEntry = 'manifest.json';
export const tableEntry = (name: string): string => `tables/${name}`;
