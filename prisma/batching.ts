import DataLoader from 'dataloader';

type Row = Record<string, unknown>;

/** The part of a model's delegate that is used here. */
interface Rows {
  findFirst(query: Row): Promise<Row | null>;
  findMany(query: Row): Promise<Row[]>;
}

/** Reads rows by id: one statement for all ids of a tick. */
export const batchById = (rows: Rows, fields: object): DataLoader<string, Row | null> =>
  new DataLoader<string, Row | null>(
    async (ids) => {
      if (ids.length === 1) return [await rows.findFirst({ ...fields, where: { id: ids[0] } })];
      const all = await rows.findMany({ ...fields, where: { id: { in: [...new Set(ids)] } } });
      const found = new Map(all.map((row) => [row['id'], row]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false }, // so that a transaction sees its own writes
  );
