import SchemaBuilder, {
  BasePlugin,
  type InputShapeFromFields,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import { Prisma, violatedCheck } from '../../../prisma/client.ts';
import type { Ability } from '../ability.ts';
import { constraintError } from '../input/constraints.ts';
import type { Context } from '../context.ts';
import { checkNewExternalId, externalIdError } from '../input/external-id.ts';
import { CodedError, ForbiddenError, NotFoundError, Problems, VersionConflictError } from '../../errors/errors.ts';
import { mayReadRow, selectRow } from '../execution/select-row.ts';
import { requireTestRoomFor } from '../test-tenant-bounds.ts';
import { hasValidator, validateInput, type Input } from '../input/validate-arguments.ts';

/** An input without its invalid parts. */
export type Readable<T> = T extends
  | Date
  | ((...args: never[]) => unknown)
  | { toFixed: unknown }
  | string
  | number
  | boolean
  | null
  | undefined
  ? T
  : T extends (infer Item)[]
    ? Readable<Item>[]
    : { [Key in keyof T]?: Readable<T[Key]> };

/**
 * A field's validation rules that involve several arguments or the tenant's data. They get whatever arguments are valid by
 * themselves, so that all errors are reported at once. May throw NotFoundError and ForbiddenError.
 */
export interface Rules<Args = object> {
  (args: Readable<Args>, context: Context, problems: Problems): void | Promise<void>;
  /** The arguments that the rules are about: without them there is nothing to check. Default: they run always. */
  concerns?: readonly string[];
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      checks: AuthorizationAndValidationPlugin<Types>;
    }
    export interface FieldOptions<Types, ParentShape, Type, Nullable, Args, ResolveShape, ResolveReturnShape> {
      /** The ability that the caller's token needs. Every field that leads to another resource has its own. */
      ability?: Ability;
      /** Dashboard sessions only: no token may create tokens or invite members. */
      inSession?: boolean;
      rules?: Rules<InputShapeFromFields<Args>>;
    }
    export interface InputFieldOptions<Types, Type, Req> {
      /** The validator of the input's values: see input/validators.ts. */
      validate?: z.ZodType;
    }
  }
}

/**
 * Plugin that checks, before a field resolves, the token's abilities and then all arguments, reporting every error at
 * once. The resolver gets the parsed arguments, so that Pothos need not validate them a second time.
 */
class AuthorizationAndValidationPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapArgMappers(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ) {
    const checks = getChecks(field.pothosOptions);
    const { ability, inSession } = checks;
    if (!resolver || (!ability && !inSession && Object.keys(field.args).length === 0)) return resolver;
    return checked(resolver as Resolver, checks, field.parentType === 'Mutation') as typeof resolver;
  }
}

const pluginName = 'checks';
SchemaBuilder.registerPlugin(pluginName, AuthorizationAndValidationPlugin);
export default pluginName;

type Resolver = GraphQLFieldResolver<unknown, Context, object>;

/** A resolver behind a field's checks. */
function checked(resolver: Resolver, checks: Checks, isMutation: boolean): Resolver {
  const { rules } = checks;
  // A read without rules is never refused by the database.
  const alwaysValidates = isMutation || (rules !== undefined && !rules.concerns);
  let checkedArguments: CheckedArguments | undefined;

  const validate = async (
    args: object,
    context: Context,
    { returnType }: GraphQLResolveInfo,
    isRefused = false,
  ): Promise<object> => {
    const problems = new Problems();
    const readable: Record<string, unknown> = { ...args };
    for (const input of checkedArguments?.validated ?? [])
      readable[input.name] = validateInput(input, readable[input.name], problems, input.name);
    await rules?.(readable, context, problems);
    if (isRefused || problems.any) {
      checkNewExternalId(returnType, readable, context, problems);
      await problems.runDeferred();
      problems.throwIfAny();
    }
    return readable;
  };

  const validateAndResolve = async (...[parent, args, context, info]: Parameters<Resolver>): Promise<unknown> => {
    const readable = await validate(args, context, info);
    if (isMutation && context.tenant.test) await requireTestRoomFor(info.fieldName, context);
    try {
      return await resolver(parent, readable, context, info);
    } catch (error) {
      if (error instanceof VersionConflictError) {
        if (!mayReadRow(context, info)) throw new VersionConflictError();
        throw new VersionConflictError(await selectRow(context, error.rowId ?? (args as { id: string }).id, info));
      }
      if (!(error instanceof Prisma.PrismaClientKnownRequestError)) throw error;
      // A concurrent request may have changed the rows that the rules read, or the rules left a check to a foreign key.
      // Running the rules again finds the error.
      await validate(args, context, info, true);
      const constraint = violatedCheck(error);
      const refusal = constraint === undefined ? externalIdError(error, readable) : constraintError(constraint);
      if (refusal) throw refusal;
      throw error.code === rowIsGone ? new NotFoundError() : error;
    }
  };

  return (parent, args, context, info) => {
    const refusal = refusedBy(checks, context);
    if (refusal) throw refusal;
    checkedArguments ??= findCheckedArguments(info, rules);
    return alwaysValidates || checkedArguments.names.some((name) => name in args)
      ? validateAndResolve(parent, args, context, info)
      : resolver(parent, args, context, info);
  };
}

/** The arguments of a field that something checks. */
interface CheckedArguments {
  validated: readonly Input[];
  /** The names of these, and of those that the rules are about. */
  names: readonly string[];
}

/** Called by a field's first request, as the types of arguments are known once the schema is built. */
function findCheckedArguments({ parentType, fieldName }: GraphQLResolveInfo, rules?: Rules): CheckedArguments {
  const validated = parentType.getFields()[fieldName]?.args.filter((arg) => hasValidator(arg)) ?? [];
  return { validated, names: [...validated.map(({ name }) => name), ...(rules?.concerns ?? [])] };
}

/** Prisma's code for an update or a deletion that found no row. */
const rowIsGone = 'P2025';

/** Why the caller may not have a field, by its ability and session; undefined if they may. */
export function refusedBy(
  { ability, inSession }: Checks,
  { may, session }: Pick<Context, 'may' | 'session'>,
): CodedError | undefined {
  if (ability && !may(ability)) return new ForbiddenError(ability);
  if (inSession && !session) return new CodedError('FORBIDDEN', 'This is only for dashboard sessions.');
  return undefined;
}

interface Checks {
  ability?: Ability;
  inSession?: boolean;
  rules?: Rules;
}

/** The checks a built or configured field was declared with. */
export const getChecks = (options: unknown): Checks => options ?? {};
