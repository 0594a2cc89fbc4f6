import SchemaBuilder, {
  BasePlugin,
  type InputShapeFromFields,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import { type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import { Prisma, violatedCheck } from '../../../prisma/client.ts';
import type { Ability } from '../ability.ts';
import { constraintError } from '../input/constraints.ts';
import type { Context } from '../context.ts';
import { CodedError, ForbiddenError, NotFoundError, Problems, VersionConflictError } from '../../errors.ts';
import { mayReadRow, selectRow } from '../execution/select-row.ts';
import { validateArguments } from '../input/validate-arguments.ts';

/** An input without its invalid parts. */
export type Readable<T> = T extends
  Date | ((...args: never[]) => unknown) | { toFixed: unknown } | string | number | boolean | null | undefined
  ? T
  : T extends (infer Item)[]
    ? Readable<Item>[]
    : { [Key in keyof T]?: Readable<T[Key]> };

/**
 * A field's validation rules that involve several arguments or the tenant's data. They get whatever arguments are valid by
 * themselves, so that all errors are reported at once. May throw NotFoundError and ForbiddenError.
 */
export type Rules<Args = object> = (args: Readable<Args>, context: Context, problems: Problems) => void | Promise<void>;

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
    const { ability, inSession, rules } = checks;
    if (!resolver || (!ability && !inSession && Object.keys(field.args).length === 0)) return resolver;

    return async (parent: unknown, args: object, requestContext: Types['Context'], info: GraphQLResolveInfo) => {
      const context = requestContext as Context;
      const forbidden = refusedBy(checks, context);
      if (forbidden) throw forbidden;
      const check = async (isRefused: boolean): Promise<object> => {
        const problems = new Problems();
        const readable = validateArguments(info.parentType.getFields()[info.fieldName]?.args ?? [], args, problems);
        await rules?.(readable, context, problems);
        if (isRefused || problems.any) await problems.runDeferred();
        problems.throwIfAny();
        return readable;
      };
      const readable = await check(false);
      try {
        return await resolver(parent, readable, requestContext, info);
      } catch (error) {
        if (error instanceof VersionConflictError) {
          if (!mayReadRow(context, info)) throw new VersionConflictError();
          throw new VersionConflictError(await selectRow(context, error.rowId ?? (args as { id: string }).id, info));
        }
        if (!(error instanceof Prisma.PrismaClientKnownRequestError)) throw error;
        // A concurrent request may have changed the rows that the rules read, or the rules left a check to a foreign key.
        // Running the rules again finds the error.
        await check(true);
        const constraint = violatedCheck(error);
        const refusal = constraint === undefined ? undefined : constraintError(constraint);
        if (refusal) throw refusal;
        throw error.code === rowIsGone ? new NotFoundError() : error;
      }
    };
  }
}

/** Prisma's code for an update or a deletion that found no row. */
const rowIsGone = 'P2025';

const pluginName = 'checks';
SchemaBuilder.registerPlugin(pluginName, AuthorizationAndValidationPlugin);
export default pluginName;

/** Why the caller may not have a field, by its ability and session; undefined if they may. */
export function refusedBy(
  { ability, inSession }: Pick<ReturnType<typeof getChecks>, 'ability' | 'inSession'>,
  { may, session }: Pick<Context, 'may' | 'session'>,
): CodedError | undefined {
  if (ability && !may(ability)) return new ForbiddenError(ability);
  if (inSession && !session) return new CodedError('FORBIDDEN', 'This is only for dashboard sessions.');
  return undefined;
}

/** The checks a built or configured field was declared with. */
export function getChecks(options: unknown): { ability?: Ability; inSession?: boolean; rules?: Rules } {
  return (options ?? {}) as ReturnType<typeof getChecks>;
}
