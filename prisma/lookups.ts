import DataLoader from 'dataloader';

type Row = Record<string, unknown> | null;
type Args = { where: Record<string, unknown>; select?: Record<string, unknown>; omit?: object } & object;

/** As much of a model of Prisma's as is needed here. */
interface Model {
  findFirst(args: object): Promise<Row>;
  findFirstOrThrow(args: object): Promise<Row>;
  findMany(args: object): Promise<NonNullable<Row>[]>;
}

/**
 * findUnique() for one client. Prisma makes one statement of all findUnique() of a tick, whoever's they are, and runs it
 * in the surroundings of the first: row-level security would hide the others' rows. So they don't go to Prisma as such;
 * those of one client, asked by id in the same tick for the same fields, become one statement here.
 */
export function lookups() {
  const loaders = new WeakMap<Model, Map<string, DataLoader<string, Row>>>();

  async function findUnique(this: Model, { where, ...fields }: Args): Promise<Row> {
    const { tenantId_id: key, ...others } = where;
    const { id } = (key ?? {}) as { id?: string };
    if (id === undefined || Object.keys(others).length > 0 || fields.omit || (fields.select && !fields.select['id'])) {
      return this.findFirst({ ...fields, where: flat(where) });
    }
    let ofModel = loaders.get(this);
    if (!ofModel) loaders.set(this, (ofModel = new Map()));
    const shape = JSON.stringify(fields);
    let loader = ofModel.get(shape);
    if (!loader) ofModel.set(shape, (loader = byId(this, fields)));
    return loader.load(id);
  }

  return {
    findUnique,
    async findUniqueOrThrow(this: Model, args: Args): Promise<Row> {
      return (await findUnique.call(this, args)) ?? this.findFirstOrThrow({ ...args, where: flat(args.where) });
    },
  };
}

const byId = (model: Model, fields: object): DataLoader<string, Row> =>
  new DataLoader<string, Row>(
    async (ids) => {
      if (ids.length === 1) return [await model.findFirst({ ...fields, where: { id: ids[0] } })];
      const rows = await model.findMany({ ...fields, where: { id: { in: [...new Set(ids)] } } });
      const found = new Map(rows.map((row) => [row['id'], row]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false }, // so that a transaction sees its own writes
  );

/** `{ tenantId_number: { tenantId, number } }` as `{ tenantId, number }`. */
const flat = (where: object): object =>
  Object.assign({}, ...Object.entries(where).map(([name, value]) => (name.includes('_') ? value : { [name]: value })));
