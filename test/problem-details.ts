import { isDeepStrictEqual } from 'node:util';
import { problemCodes } from '../schema/errors/problem-codes.ts';

// Every answer that a test gets is checked: what is wrong stands in it twice, for people and for programs.

type Errors = Record<string, string[]>;

interface Detail {
  field: string;
  code: string;
  message: string;
  params: Record<string, unknown>;
}

interface Refused {
  errors?: Errors;
  details?: Detail[];
}

const isType: Record<string, (value: unknown) => boolean> = {
  number: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string',
  texts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

type Declared = Record<string, readonly [type: string, meaning: string, presence?: 'optional']>;

/** Fails unless a detail's code is known, with the parameters that the code has. */
function checkDetail({ code, params, ...rest }: Detail): void {
  const known: Record<string, { explanation: string; params?: Declared }> = problemCodes;
  const declared = known[code]?.params ?? {};
  const problems = Object.entries(params).flatMap(([name, value]) =>
    declared[name] && isType[declared[name][0]]?.(value) ? [] : [name],
  );
  for (const [name, [, , presence]] of Object.entries(declared))
    if (presence === undefined && !(name in params)) problems.push(name);
  if (!(code in known) || problems.length > 0 || Object.keys(rest).toSorted().join(' ') !== 'field message')
    throw new Error(`Not as documented: ${JSON.stringify({ code, params, ...rest })}`);
}

function checkRefused({ errors, details }: Refused): void {
  const sentences = Object.entries(errors ?? {}).flatMap(([field, texts]) => texts.map((text) => ({ field, text })));
  const detailed = details?.map(({ field, message }) => ({ field, text: message }));
  if (!isDeepStrictEqual(detailed, sentences))
    throw new Error(`Details and sentences differ: ${JSON.stringify({ errors, details })}`);
  for (const detail of details ?? []) checkDetail(detail);
}

/** Fails if `details` of an answer of REST or GraphQL doesn't have each sentence of its `errors`, in that order. */
export function checkDetails(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return;
  const { errors } = body as { errors: unknown };
  if (!Array.isArray(errors)) return 'message' in body ? checkRefused(body as Refused) : undefined;
  for (const error of errors as { extensions?: Refused & { code?: string } }[])
    if (error.extensions?.code === 'VALIDATION_FAILED') checkRefused(error.extensions);
}
