import { GraphQLError } from 'graphql';
import { isUnavailable } from '../../prisma/client.ts';
import { TenantBusyError } from '../../prisma/tenant/connection-limit.ts';
import type { Problem, ProblemDetail } from './problem-codes.ts';

export type { Problem } from './problem-codes.ts';

export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CURSOR_EXPIRED'
  | 'VALIDATION_FAILED'
  | 'VERSION_CONFLICT'
  | 'ANSWER_TOO_LARGE'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR';

/**
 * An error that a client may see: its code is part of the API (DECISIONS.md#d41-error-codes). Only the transports know
 * HTTP statuses. Any other error is a fault of the service: it is logged, and masked in the answer.
 */
export class CodedError extends GraphQLError {
  constructor(code: ErrorCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message, { extensions: { code, ...extensions } });
  }
}

/** The error as the client may see it; undefined if it is a fault of the service. */
export function asCoded(error: unknown): CodedError | undefined {
  if (error instanceof CodedError) return error;
  if (isUnavailable(error) || error instanceof StorageUnavailableError) return new TryLaterError();
  if (!(error instanceof TenantBusyError)) return undefined;
  const { retryAfter } = error;
  const message = `This tenant has too many requests under way. Try again in ${retryAfter} seconds.`;
  return new CodedError('RATE_LIMITED', message, { retryAfter });
}

/** Seconds after which a client should try again. */
const retryAfter = 5;

/** A tenant has as many jobs under way as it may have. To wait a moment doesn't help: `reason` tells programs so. */
export class TooManyUnfinishedError extends CodedError {
  /**
   * @param jobs what they are, in the plural
   * @param seconds after which the client should try again
   */
  constructor(jobs: string, most: number, seconds: number) {
    const message = `A tenant has at most ${most} ${jobs} that have not ended. Wait for one, or cancel it.`;
    super('RATE_LIMITED', message, { retryAfter: seconds, reason: 'TOO_MANY_UNFINISHED', max: most });
  }
}

/** The service can't answer at the moment. Whether a write was executed may be unknown. */
export class TryLaterError extends CodedError {
  constructor() {
    super('UNAVAILABLE', `The service can't answer at the moment. Try again in ${retryAfter} seconds.`, { retryAfter });
  }
}

/** Files can't be written or read at the moment: a full disk, a bucket that doesn't answer. */
export class StorageUnavailableError extends Error {
  /** @param what the storage, as the subject of a sentence */
  constructor(what: string, cause: unknown) {
    super(`${what} can't be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The resource doesn't exist, or belongs to another tenant: the caller can't tell which. */
export class NotFoundError extends CodedError {
  constructor() {
    super('NOT_FOUND', 'Not found.');
  }
}

/** The answer would take more than one may. Nothing is wrong with the request but its size. */
export class AnswerTooLargeError extends CodedError {
  /** @param what the limit that it exceeds, as a clause */
  constructor(what: string) {
    super('ANSWER_TOO_LARGE', `${what}. Ask for fewer rows or fields at a time.`);
  }
}

/** The row has another version than the caller expects: somebody has changed it meanwhile. Nothing was changed. */
export class VersionConflictError extends CodedError {
  /** The row's id, where no argument of the mutation has it. */
  readonly rowId: string | undefined;

  /** @param current the row as it is now: what the caller selects of it */
  constructor(current: object = {}, rowId?: string) {
    super('VERSION_CONFLICT', 'This was changed meanwhile.', { current });
    this.rowId = rowId;
  }
}

/** The token lacks abilities that the request needs. */
export class ForbiddenError extends CodedError {
  constructor(...lacking: [string, ...string[]]) {
    const abilities = lacking.length > 1 ? 'abilities' : 'ability';
    super('FORBIDDEN', `This token lacks the ${abilities} ${lacking.join(', ')}.`);
  }
}

/** @throws ForbiddenError naming each of these abilities that the caller lacks */
export function requireAbilities<Ability extends string>(
  context: { may: (ability: Ability) => boolean },
  abilities: readonly Ability[],
): void {
  const [lacking, ...others] = abilities.filter((ability) => !context.may(ability));
  if (lacking) throw new ForbiddenError(lacking, ...others);
}

/** Problems by input path. */
export type FieldProblems = Record<string, Problem[]>;

/** Sentences by input path: `{"input.items.0.quantity": ["Must not be zero."]}`. */
export type FieldErrors = Record<string, string[]>;

export class ValidationError extends CodedError {
  readonly problems: Readonly<FieldProblems>;
  readonly errors: FieldErrors;
  /** Each sentence of `errors`, in that order, for programs. */
  readonly details: readonly ProblemDetail[];

  /** @param message by default the first problem, and how many more there are */
  constructor(problems: FieldProblems, message?: string) {
    const errors = toSentences(problems);
    const details = Object.entries(problems).flatMap(([field, ofField]) =>
      ofField.map((problem) => toDetail(field, problem)),
    );
    super('VALIDATION_FAILED', message ?? summary(errors), { errors, details });
    this.problems = problems;
    this.errors = errors;
    this.details = details;
  }
}

const toDetail = (field: string, [code, message, params = {}]: Problem): ProblemDetail => ({
  field,
  code,
  message,
  params,
});

/** Without what only programs need. */
export function toSentences(problems: FieldProblems): FieldErrors {
  // Without a prototype, because a path is a client's text, which may be __proto__.
  const errors = Object.create(null) as FieldErrors;
  for (const path in problems) errors[path] = (problems[path] ?? []).map(([, message]) => message);
  return errors;
}

/** One sentence for people: the first error, and how many more there are. */
function summary(errors: FieldErrors): string {
  const messages = Object.entries(errors).flatMap(([path, texts]) => texts.map((text) => `${path}: ${text}`));
  const more = messages.length - 1;
  if (more >= maxProblems - 1) return `${messages[0]} (and ${more} or more others, of which ${more} are listed)`;
  return more > 0 ? `${messages[0]} (and ${more} more)` : (messages[0] ?? 'The request is not valid.');
}

/** So many errors are reported. A wide body would take long to be checked to its end, and be answered at length. */
export const maxProblems = 100;

/** Collects the validation errors of an input, so that many of them can be reported at once. */
export class Problems {
  /** Whether there is one. */
  any = false;
  /** Whether no more are collected: the rest of the input need not be checked. */
  isFull = false;
  #count = 0;
  readonly #deferred: (() => PromiseLike<unknown>)[] = [];
  // Without a prototype, because a path is a client's text, which may be __proto__.
  readonly byField: FieldProblems = Object.create(null) as FieldProblems;

  add(path: string, ...problem: Problem): void {
    if (this.isFull) return;
    const ofField = (this.byField[path] ??= []);
    if (ofField.some(([, message]) => message === problem[1])) return;
    ofField.push(problem);
    this.#count += 1;
    this.any = true;
    this.isFull = this.#count === maxProblems;
  }

  get errors(): FieldErrors {
    return toSentences(this.byField);
  }

  has(path: string): boolean {
    return path in this.byField;
  }

  /** Deferred check: the database enforces the rule. Run only by `runDeferred()`, to explain a refused write. */
  defer(check: () => PromiseLike<unknown>): void {
    this.#deferred.push(check);
  }

  /** Runs the deferred checks. Called where nothing will be written: the input has errors, or the database refused it. */
  async runDeferred(): Promise<void> {
    // One after another, so that the same input has its problems in the same order. A deferred check may defer others.
    for (let check = this.#deferred.shift(); check; check = this.#deferred.shift()) await check();
  }

  throwIfAny(): void {
    if (this.any) throw new ValidationError(this.byField);
  }
}

/** Throws a ValidationError of one field. */
export function refuse(path: string, ...problem: Problem): never {
  throw new ValidationError({ [path]: [problem] });
}

/** Awaits a lookup. @throws NotFoundError where it finds no row */
export async function found<T>(lookup: PromiseLike<T | null>): Promise<T> {
  const row = await lookup;
  if (row === null) throw new NotFoundError();
  return row;
}
