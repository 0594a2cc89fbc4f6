import { setImmediate as nextTick } from 'node:timers/promises';
import { deferInserts } from '../schema/rows/defer-inserts.ts';
import { bulkKinds } from '../schema/resources/bulk-operation/kinds.ts';
import type { InputLine } from '../schema/resources/bulk-operation/read-chunks.ts';
import type { LineResult } from '../schema/resources/bulk-operation/run.ts';
import type { BulkOperationRow } from '../schema/resources/bulk-operation/transitions.ts';
import { asCoded, NotFoundError, Problems, ValidationError } from '../schema/errors.ts';
import { findByExternalId } from '../schema/graphql/input/external-id.ts';
import type { Context } from '../schema/graphql/context.ts';
import { isUuid } from '../schema/graphql/scalars/scalars.ts';
import { describeRefusal, isBusy } from './batch.ts';
import { within } from './batch-item.ts';
import { findOperation, rethrowInRestNames, throwAllErrors, throwIfMissing, type CompiledSchema } from './endpoint.ts';
import { JsonNumber } from './exact-json.ts';
import { runOperation, type Operation, type Values } from './operation.ts';
import { parseBody } from './request-body.ts';
import { toErrorResponse } from './router.ts';

/** The most problems in the result of a line. */
const maxProblems = 10;

/** The operations of a resource's single requests; undefined for those that REST doesn't have. */
interface Operations {
  create: Operation;
  get: Operation;
  update: Operation | undefined;
  delete: Operation;
}

interface Done {
  status: number;
  id: string;
}

/**
 * Does lines as REST's single requests, in a transaction with savepoints. Errors that are no line's fault are thrown.
 *
 * Lines are tried together: what they insert is written by one statement. Where that fails, nothing of them stays, and half as
 * many are tried. A line alone is done as the single request is, so that is what decides about it.
 */
export async function runLines(
  { operations }: Pick<CompiledSchema, 'operations'>,
  { resource, action }: Pick<BulkOperationRow, 'resource' | 'action'>,
  lines: readonly InputLine[],
  inside: Context,
  report: (error: unknown) => void,
): Promise<LineResult[]> {
  const found = findOperations(operations, bulkKinds[resource].model);
  const run = runners[action](found);
  const results: LineResult[] = [];
  for (let count = lines.length; results.length < lines.length;) {
    const next = lines.slice(results.length, results.length + count);
    const [only] = next;
    if (only && next.length === 1) {
      const result = await runAlone(run, only, inside, report);
      results.push(result);
      if (!result.isRefused) count = 2;
      continue;
    }
    const together = await runTogether(run, next, inside, action === 'UPSERT' ? bulkModel(found) : undefined);
    results.push(...(together ?? []));
    count = together ? count * 2 : Math.ceil(next.length / 2);
  }
  return results;
}

async function runAlone(
  run: Runner,
  { bytes }: InputLine,
  inside: Context,
  report: (error: unknown) => void,
): Promise<LineResult> {
  await nextTick(); // requests run in between
  try {
    return succeeded(await inside.transaction((line) => run(bytes, within(inside, line)), { savepoints: true }));
  } catch (error) {
    if (isBusy(error)) throw error;
    return { json: await describe(error, report), isRefused: true };
  }
}

/** @returns undefined where the database has refused something: then nothing is done */
async function runTogether(
  run: Runner,
  lines: readonly InputLine[],
  inside: Context,
  upserted: 'Customer' | 'Project' | undefined,
): Promise<LineResult[] | undefined> {
  const work = async (savepoint: Context): Promise<LineResult[]> => {
    const { context, inserts } = deferInserts(within(inside, savepoint));
    const isNew = upserted && (await findNew(upserted, lines, context));
    const results: LineResult[] = [];
    for (const { bytes } of lines) {
      await nextTick();
      inserts.beginUnit();
      try {
        results.push(succeeded(await run(bytes, context, isNew)));
      } catch (error) {
        if (!asCoded(error) || isBusy(error) || !inserts.dropUnit()) throw error;
        results.push({ json: await describe(error, () => {}), isRefused: true });
      }
    }
    await inserts.flush();
    return results;
  };
  try {
    return await inside.transaction(work, { savepoints: true });
  } catch (error) {
    if (isBusy(error)) throw error;
    return undefined;
  }
}

const succeeded = ({ status, id }: Done): LineResult => ({ json: JSON.stringify({ status, id }), isRefused: false });

/** Looks up the external ids of lines together. @returns whether one is new; false when it is asked for again */
async function findNew(
  model: 'Customer' | 'Project',
  lines: readonly InputLine[],
  { db }: Context,
): Promise<(externalId: string) => boolean> {
  const ids = new Set(lines.map(({ bytes }) => readExternalId(parseBody(bytes, new Problems()))));
  ids.delete(undefined);
  const where = { externalId: { in: [...ids] } };
  for (const { externalId } of await db.model(model).findMany({ where, select: { id: true, externalId: true } }))
    ids.delete(externalId ?? undefined);
  return (externalId) => ids.delete(externalId);
}

function readExternalId(body: object | undefined): string | undefined {
  const { external_id: externalId }: Values = { ...body };
  return typeof externalId === 'string' && externalId.trim() !== '' ? externalId.trim() : undefined;
}

function findOperations(operations: CompiledSchema['operations'], model: string): Operations {
  return {
    create: findOperation(operations, `create${model}`),
    get: findOperation(operations, `get${model}`),
    update: operations.get(`update${model}`),
    delete: findOperation(operations, `delete${model}`),
  };
}

/** @param isNew whether no row has an external id, as far as is known */
type Runner = (bytes: Uint8Array, context: Context, isNew?: (externalId: string) => boolean) => Promise<Done>;

const runners: Record<BulkOperationRow['action'], (operations: Operations) => Runner> = {
  CREATE: (operations) => async (bytes, context) => create(operations, parse(bytes), context),

  UPDATE: (operations) => async (bytes, context) => {
    const { id, ...body } = parse(bytes);
    return change(operations, operations.update, 200, id, body, context);
  },

  DELETE: (operations) => async (bytes, context) => {
    const { id, ...body } = parse(bytes);
    return change(operations, operations.delete, 204, id, body, context);
  },

  UPSERT: (operations) => async (bytes, context, isNew) => {
    const body = parse(bytes);
    const externalId = readExternalId(body);
    if (externalId === undefined) {
      const problems = new Problems();
      problems.add('external_id', 'required', 'Required.');
      return create(operations, body, context, problems);
    }
    const update = async (): Promise<Done | undefined> => {
      const id = await findByExternalId(context, bulkModel(operations), externalId);
      return id === undefined ? undefined : change(operations, operations.update, 200, id, body, context);
    };
    const updated = isNew?.(externalId) ? undefined : await update();
    if (updated) return updated;
    try {
      return await context.transaction((attempt) => create(operations, body, within(context, attempt)), {
        savepoints: true,
      });
    } catch (error) {
      // A request may have added it meanwhile.
      if (!(error instanceof ValidationError) || !isTakenAlone(error)) throw error;
      const other = await update();
      if (!other) throw error;
      return other;
    }
  },
};

const isTakenAlone = ({ details }: ValidationError): boolean =>
  details.length === 1 && details[0]?.code === 'taken' && details[0].field === 'external_id';

const bulkModel = ({ get }: Operations): 'Customer' | 'Project' => get.name.slice('get'.length) as 'Customer';

/** @throws ValidationError for what isn't a JSON object */
function parse(bytes: Uint8Array): Values {
  const problems = new Problems();
  const body = parseBody(bytes, problems);
  problems.throwIfAny();
  return { ...body };
}

async function create(
  { create: operation }: Operations,
  body: object,
  context: Context,
  problems = new Problems(),
): Promise<Done> {
  const variables = operation.decodeBody(body, problems);
  return { status: 201, id: await execute(operation, variables, context, problems) };
}

async function change(
  { get }: Operations,
  operation: Operation | undefined,
  status: number,
  given: unknown,
  body: object,
  context: Context,
): Promise<Done> {
  if (!operation) throw new Error('There is no such request'); // the start is refused
  const id = given instanceof JsonNumber ? Number(given.source) : given;
  if (typeof id === 'string' && !isUuid(id)) throw new NotFoundError();
  const problems = new Problems();
  const variables = { ...operation.decodeBody(body, problems), id };
  try {
    return { status, id: await execute(operation, variables, context, problems) };
  } catch (error) {
    if (typeof id === 'string') await throwIfMissing(get, id, context, error);
    throw error;
  }
}

async function execute(operation: Operation, variables: Values, context: Context, problems: Problems): Promise<string> {
  if (problems.any) await throwAllErrors(operation, variables, context, problems);
  const row = (await runOperation(operation, variables, context).catch(rethrowInRestNames)) as { id: string };
  return row.id;
}

/** What the single request would be answered, with the first problems. */
async function describe(error: unknown, report: (error: unknown) => void): Promise<string> {
  const coded = asCoded(error);
  const shown = coded instanceof ValidationError ? withFewer(coded) : error;
  return describeRefusal(toErrorResponse(shown, undefined, { requestId: '', report }));
}

function withFewer(error: ValidationError): ValidationError {
  if (error.details.length <= maxProblems) return error;
  const few = new Problems();
  let left = maxProblems;
  for (const [path, ofField] of Object.entries(error.problems))
    for (const problem of ofField) if (left-- > 0) few.add(path, ...problem);
  return new ValidationError(few.byField, error.message);
}
