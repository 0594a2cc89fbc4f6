import { runUnits } from '../schema/rows/run-units.ts';
import { bulkKinds } from '../schema/resources/bulk-operation/kinds.ts';
import type { InputLine } from '../schema/resources/bulk-operation/read-chunks.ts';
import type { LineResult } from '../schema/resources/bulk-operation/run.ts';
import type { BulkOperationRow } from '../schema/resources/bulk-operation/transitions.ts';
import { asCoded, NotFoundError, Problems, ValidationError } from '../schema/errors/errors.ts';
import { findByExternalId } from '../schema/graphql/input/external-id.ts';
import type { Context } from '../schema/graphql/context.ts';
import { isUuid } from '../schema/graphql/scalars/scalars.ts';
import { describeRefusal } from './batch.ts';
import { findOperation, rethrowInRestNames, throwAllErrors, throwIfMissing, type CompiledSchema } from './endpoint.ts';
import { JsonNumber } from './exact-json.ts';
import { runOperation, type Operation, type Values } from './operation.ts';
import { parseBody } from './request-body.ts';
import { toErrorResponse } from './router.ts';

/** The most problems in the result of a line. */
export const maxProblems = 10;

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

/** Does lines as REST's single requests, in a transaction with savepoints. Errors that are no line's fault are thrown. */
export async function runLines(
  { operations }: Pick<CompiledSchema, 'operations'>,
  { resource, action }: Pick<BulkOperationRow, 'resource' | 'action'>,
  lines: readonly InputLine[],
  inside: Context,
  report: (error: unknown) => void,
): Promise<LineResult[]> {
  const found = findOperations(operations, bulkKinds[resource].model);
  const run = runners[action](found);
  const prepare = (next: readonly InputLine[], context: Context) => findNew(bulkModel(found), next, context);
  const outcomes = await runUnits(
    lines,
    inside,
    ({ bytes }, context, isNew: IsNew | undefined) => run(bytes, context, isNew),
    action === 'UPSERT' ? prepare : undefined,
  );
  const results: LineResult[] = [];
  for (const outcome of outcomes)
    results.push(
      'result' in outcome
        ? { json: JSON.stringify(outcome.result), isRefused: false }
        : { json: await describe(outcome.error, report), isRefused: true },
    );
  return results;
}

/** Whether no row has an external id, as far as is known. False when it is asked for again. */
type IsNew = (externalId: string) => boolean;

/** Looks up the external ids of lines together. */
async function findNew(model: 'Customer' | 'Project', lines: readonly InputLine[], { db }: Context): Promise<IsNew> {
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

type Runner = (bytes: Uint8Array, context: Context, isNew?: IsNew) => Promise<Done>;

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
      return await context.transaction((attempt) => create(operations, body, attempt), { savepoints: true });
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

/** The response that the single request would get, with the first problems. */
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
