import type { Prisma, Row, RowLock } from '../../prisma/client.ts';
import type { Problems } from '../errors/errors.ts';
import { emit, type EventType } from '../events/events.ts';
import { key, type Context } from '../graphql/context.ts';
import { findById, findByIdIfAny } from '../graphql/find-by-id.ts';
import { ownColumns, ownRules, type OwnFields } from '../graphql/input/own-fields.ts';
import { isChanged } from './is-changed.ts';
import { enforce, lockRow, type RowArguments, type Versioned } from './locked-row.ts';

/** Reads a row that a rule depends on: under this lock if the change is going to be written. */
export type FindForRule = <Of extends Prisma.ModelName>(
  model: Of,
  id: string,
  lock: RowLock,
) => Promise<Row<Of> | null>;

/** Metadata is merged for all resources alike. */
type WithoutOwn<Data> = Data extends unknown ? Omit<Data, 'metadata'> : never;

/** The part of an update that is its resource's own. */
interface RowChange<Of extends Versioned, Input, ValidInput, Related> {
  /** `update` where the change affects rules of rows that refer to this one. Default: `no key update`. */
  lock?: (input: Input) => RowLock;
  /** Reads what rules and change depend on besides the row itself. */
  related?: (input: ValidInput, context: Context, current: Row<Of>, find: FindForRule) => Promise<Related>;
  /**
   * The rules of the change. They run under the row's lock. If nothing will be written, they run without it, on the valid
   * parts of the input, so that all problems are reported at once.
   */
  rules: (
    input: ValidInput,
    context: Context,
    problems: Problems,
    current: Row<Of>,
    related: Related | undefined,
  ) => void | Promise<void>;
  /** The columns to write; undefined leaves a column as it is. */
  data: (
    input: Input,
    current: Row<Of>,
    related: Related | undefined,
  ) => WithoutOwn<Prisma.TypeMap['model'][Of]['operations']['update']['args']['data']>;
  /** Rows that are written with the row, after it. */
  dependents?: {
    areChanged: (input: Input, related: Related | undefined) => boolean;
    write: (inside: Context, input: Input, current: Row<Of>, related: Related | undefined) => Promise<void>;
  };
  event: EventType;
}

/**
 * The rules and the resolver of a mutation that updates one row: lock, version, rules, write, event, answer. An update that
 * would change nothing is answered without a write and without an event (DECISIONS.md#d34-events).
 */
export function changeRow<
  Of extends Versioned,
  ValidInput extends OwnFields,
  Input extends ValidInput,
  Related = undefined,
>(model: Of, change: RowChange<Of, Input, ValidInput, Related>) {
  const { lock, related: readRelated, rules, data: columns, dependents, event } = change;
  return {
    rules: (
      { id, input }: { id?: string | undefined; input?: ValidInput | undefined },
      context: Context,
      problems: Problems,
    ): void => {
      if (!id || !input) return;
      const find: FindForRule = (other, otherId) => findByIdIfAny(context, other, otherId);
      problems.defer(async () => {
        const current = await findById(context, model, id);
        ownRules(context, problems, model, input, current);
        await rules(input, context, problems, current, await readRelated?.(input, context, current, find));
      });
    },

    resolve: (
      query: object,
      _root: unknown,
      { input, ...target }: RowArguments & { input: Input },
      context: Context,
    ): Promise<Row<Of>> =>
      context.transaction(async (inside) => {
        const current = await lockRow(inside, model, target, lock?.(input));
        const find: FindForRule = (...other) => inside.db.lock(...other);
        const related = await readRelated?.(input, inside, current, find);
        await enforce((problems) => {
          ownRules(inside, problems, model, input, current);
          return rules(input, inside, problems, current, related);
        });
        const data = { ...columns(input, current, related), ...ownColumns(input, current) };
        if (!isChanged(current, data) && !dependents?.areChanged(input, related))
          return findById(inside, model, current, query);
        const changed = await inside.db.model(model).update({ where: key(context, target.id), data });
        await dependents?.write(inside, input, current, related);
        await emit(inside, event, changed);
        return findById(inside, model, changed, query);
      }),
  };
}

/** Payments are reversed, never deleted. */
type Deletable = Exclude<Versioned, 'Payment'>;

/** The part of a deletion that is its resource's own. */
interface RowDeletion<Of extends Deletable> {
  /** Adds the problems that prevent the deletion. Runs under the row's lock. */
  rules: (context: Context, problems: Problems, current: Row<Of>) => void | Promise<void>;
  /** Frees rows that refer to this one. */
  release?: (inside: Context, id: string) => Promise<void>;
  /** Takes the row away. Default: deletes it. */
  remove?: (inside: Context, current: Row<Of>) => Promise<void>;
  event: EventType;
}

/** The resolver of a mutation that deletes one row: lock, version, rules, event, deletion. It answers the row as it was. */
export const deleteRow = <Of extends Deletable>(model: Of, { rules, release, remove, event }: RowDeletion<Of>) => ({
  resolve: (query: object, _root: unknown, target: RowArguments, context: Context): Promise<Row<Of>> =>
    context.transaction(async (inside) => {
      const { id } = target;
      const current = await lockRow(inside, model, target, 'update');
      await enforce((problems) => rules(inside, problems, current));
      const row = await findById(inside, model, id, query);
      await emit(inside, event, id);
      await release?.(inside, id);
      if (remove) await remove(inside, current);
      else await inside.db.model(model).delete({ where: key(context, id) });
      return row;
    }),
});
