import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { random } from '../hostile/hostile.ts';
import { isRecursive } from '../questions.ts';

// Generates valid queries from the schema. The same seed gives the same query.

export interface Question {
  query: string;
  /** Sets of variables: first a valid one, then others. */
  variables: Record<string, unknown>[];
}

/** Existing ids by the name of the type or of the argument. */
export type Ids = Record<string, string[]>;

const odd = ['a_b', 'constructor', 'then', '__proto__', 'toString', 'idx0', 'data', 'x'];
const values: Record<string, unknown[]> = {
  String: ['a', '', 'Ä', '"\\ \u2028', 'x'.repeat(300)],
  Boolean: [true, false],
  Date: ['2026-03-01', '2026-02-28', '0001-01-01'],
  DateTime: ['2026-03-01T00:00:00Z'],
  Decimal: ['10', '119.00'],
};
/** Whether an input type is a filter or what a filter compares a column with: it has many fields, and needs none. */
const isPartOfFilter = ({ name }: GraphQLInputObjectType): boolean => /(?:Filter|Comparator)$/.test(name);

const literals = new Set(['Int', 'Boolean', 'String', 'Date', 'UUID', 'Decimal']);

export function buildQuestion(schema: GraphQLSchema, seed: number, ids: Ids): Question {
  const r = random(seed);
  for (let skipped = 0; skipped < 3; skipped++) r(2);
  const pick = <T>(list: readonly T[]): T => list[r(list.length)]!;
  const chance = (percent: number): boolean => r(100) < percent;
  const declared: { name: string; type: GraphQLInputType; value: unknown; hasDefault: boolean }[] = [];
  const fragments: string[] = [];
  let left = 60;
  const hasConditions = chance(20);

  const buildValue = (type: GraphQLInputType, name: string, depth = 0): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable))
      return chance(70) ? [buildValue(nullable.ofType, name, depth)] : buildValue(nullable.ofType, name, depth);
    if (isEnumType(nullable)) return pick(nullable.getValues()).name;
    if (isInputObjectType(nullable))
      return Object.fromEntries(
        chooseInputs(nullable, depth).map((each) => {
          const isNull = isPartOfFilter(nullable) && chance(2);
          return [each.name, isNull ? null : buildValue(each.type, each.name, depth + 1)];
        }),
      );
    if (nullable.name === 'Int') return name === 'offset' ? r(3) : 1 + r(5);
    if (nullable.name === 'UUID') return pick(ids[name] ?? Object.values(ids).flat());
    return pick(values[nullable.name] ?? [null]);
  };
  /** Of a filter some fields, and of a comparator one operator; else all fields. */
  const chooseInputs = (type: GraphQLInputObjectType, depth: number): GraphQLInputField[] => {
    const all = Object.values(type.getFields());
    if (!isPartOfFilter(type)) return all;
    const possible = depth < 4 ? all : all.filter((each) => !isRecursive(getNamedType(each.type)));
    const inner = possible.filter((each) => isRecursive(getNamedType(each.type)));
    return [
      ...new Set([
        pick(possible),
        ...(isRecursive(type) && chance(30) ? [pick(possible)] : []),
        ...inner.filter(() => chance(15)),
      ]),
    ];
  };
  /** @param canVary whether a comparison's value may be a variable instead */
  const printLiteral = (type: GraphQLInputType, value: unknown, canVary = false): string => {
    const nullable = getNullableType(type);
    if (canVary && chance(40)) return `$${declare(type, value)}`;
    if (value === null) return 'null';
    if (isListType(nullable) && Array.isArray(value))
      return `[${value.map((each) => printLiteral(nullable.ofType, each)).join()}]`;
    if (isListType(nullable)) return printLiteral(nullable.ofType, value);
    if (!isInputObjectType(nullable)) return isEnumType(nullable) ? String(value) : JSON.stringify(value);
    const fields = Object.entries(value as object);
    const isCompared = (name: string): boolean => (isPartOfFilter(nullable) && !isRecursive(nullable)) || name === 'q';
    return `{ ${fields.map(([name, each]) => `${name}: ${printLiteral(nullable.getFields()[name]!.type, each, isCompared(name))}`).join()} }`;
  };

  /** Declares a variable. @returns its name */
  const declare = (type: GraphQLInputType, value: unknown, hasDefault = false): string => {
    const variable = `${chance(2) ? 'v_' : 'v'}${declared.length}`;
    declared.push({ name: variable, type, value, hasDefault });
    return variable;
  };
  const shares: Record<string, number> = { first: 50, after: 2, before: 2, filter: 30 };
  const argument = ({ name, type }: GraphQLArgument, owner: string): string[] => {
    if (!isNonNullType(type) && !chance(shares[name] ?? 12)) return [];
    const value = buildValue(type, name === 'id' ? owner : name);
    const isPlain = literals.has(getNamedType(type).name) || isEnumType(getNamedType(type));
    const literalShare = { Int: 40 }[getNamedType(type).name] ?? (name === 'filter' ? 50 : 10);
    if (chance(literalShare) && (isPlain || isInputObjectType(getNamedType(type))))
      return [`${name}: ${chance(5) && !isNonNullType(type) ? 'null' : printLiteral(type, value)}`];
    const hasDefault = !isNonNullType(type) && isPlain && chance(25);
    return [`${name}: $${declare(type, value, hasDefault)}`];
  };
  const condition = (): string => {
    if (!hasConditions || !chance(5)) return '';
    const directive = pick(['include', 'skip']);
    if (chance(40)) return `@${directive}(if: ${chance(50)})`;
    declared.push({
      name: `c${declared.length}`,
      type: schema.getType('Boolean') as never,
      value: chance(50),
      hasDefault: true,
    });
    return `@${directive}(if: $c${declared.length - 1})`;
  };
  let aliases = 0;
  const field = (of: GraphQLField<unknown, unknown>, depth: number): string => {
    left -= 1;
    const type = getNamedType(of.type);
    const args = of.args.flatMap((each) => argument(each, type.name));
    // A field with arguments may be selected twice with different arguments.
    const needsAlias = of.args.length > 0;
    const alias =
      needsAlias || (chance(8) && aliases < 15) ? `${aliases++ && chance(20) ? pick(odd) : 'a'}${aliases}: ` : '';
    const call = `${alias}${of.name}${args.length > 0 ? `(${args.join(', ')})` : ''} ${condition()}`;
    if (!isObjectType(type)) return call;
    // GraphQL merges the selections of the same response key.
    const isRepeated = chance(8) && aliases < 12;
    if (isRepeated && alias) aliases += 1;
    return `${call} ${selection(type, depth + 1)}${isRepeated ? ` ${call} ${selection(type, depth + 1)}` : ''}`;
  };
  const selection = (type: GraphQLObjectType, depth: number): string => {
    const all = Object.values(type.getFields());
    const leaves = all.filter((each) => isLeafType(getNamedType(each.type)));
    const inner = all.filter((each) => isObjectType(getNamedType(each.type))); // abstract types aren't compiled
    const chosen = [...leaves.filter(() => chance(60)), ...inner.filter(() => depth < 6 && left > 0 && chance(40))];
    const texts = chosen.map((each) => field(each, depth));
    if (texts.length === 0 || chance(20))
      texts.splice(r(texts.length + 1), 0, chance(80) ? '__typename' : 'o: __typename');
    if (chance(8)) texts.push(`... on ${type.name} ${condition()} { ${texts.splice(r(texts.length)).join(' ')} }`);
    if (chance(8) && fragments.length < 8) {
      const name = `F${fragments.length}`;
      fragments.push('');
      fragments[Number(name.slice(1))] =
        `fragment ${name} on ${type.name} { ${texts.splice(r(texts.length)).join(' ')} }`;
      texts.push(`...${name} ${condition()}`);
      if (chance(30)) texts.push(`...${name}`);
    }
    return `{ ${texts.join(' ')} }`;
  };

  const roots = Object.values(schema.getQueryType()!.getFields()).filter(
    (each) => !isAbstractType(getNamedType(each.type)),
  );
  const body = Array.from({ length: 1 + r(2) }, () => field(pick(roots), 1)).join(' ');
  const definitions = declared.map(({ name, type, value, hasDefault }) => {
    const fallback = hasDefault ? ` = ${printLiteral(type, value)}` : '';
    return `$${name}: ${String(type)}${fallback}`;
  });
  const head = definitions.length > 0 ? `query Q(${definitions.join(', ')})` : chance(50) ? 'query Q' : '';
  const given = Object.fromEntries(declared.map(({ name, value }) => [name, value]));
  const otherwise = (): Record<string, unknown> =>
    Object.fromEntries(
      declared.flatMap(({ name, type, value }) => {
        if (chance(30)) return [];
        if (chance(20)) return [[name, null]];
        return [[name, chance(10) ? pick(['x', -1, 1.5, [], {}, true]) : chance(50) ? value : buildValue(type, name)]];
      }),
    );
  return {
    query: `${head} { ${body} } ${fragments.join(' ')}`,
    variables: [given, ...Array.from({ length: declared.length > 0 ? 3 : 0 }, otherwise)],
  };
}
