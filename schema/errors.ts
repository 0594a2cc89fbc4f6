import { GraphQLError } from 'graphql';
import { TenantBusyError } from '../prisma/tenant/connection-limit.ts';
import type { Ability } from './ability.ts';

export type ErrorCode =
  'UNAUTHENTICATED' | 'FORBIDDEN' | 'NOT_FOUND' | 'VALIDATION_FAILED' | 'RATE_LIMITED' | 'INTERNAL_SERVER_ERROR';

/**
 * An error that a client may see: its code is part of the API (DECISIONS.md#d41-error-codes). The doors alone know
 * statuses. Whatever is thrown that isn't one of these is a fault of ours, logged and masked.
 */
export class CodedError extends GraphQLError {
  constructor(code: ErrorCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message, { extensions: { code, ...extensions } });
  }
}

/** What was thrown, as the client may see it; undefined where it is a fault of ours. */
export function asCoded(error: unknown): CodedError | undefined {
  if (error instanceof CodedError) return error;
  if (!(error instanceof TenantBusyError)) return undefined;
  const { retryAfter } = error;
  const message = `This tenant has too many requests under way. Try again in ${retryAfter} seconds.`;
  return new CodedError('RATE_LIMITED', message, { retryAfter });
}

/** The resource doesn't exist, or belongs to another tenant: the caller can't tell which. */
export class NotFoundError extends CodedError {
  constructor() {
    super('NOT_FOUND', 'Not found.');
  }
}

/** The token's abilities don't cover the request: what it lacks. */
export class ForbiddenError extends CodedError {
  constructor(...lacking: [string, ...string[]]) {
    const abilities = lacking.length > 1 ? 'abilities' : 'ability';
    super('FORBIDDEN', `This token lacks the ${abilities} ${lacking.join(', ')}.`);
  }
}

/** @throws ForbiddenError naming each of these abilities that the caller lacks */
export function mustAll(context: { may: (ability: Ability) => boolean }, abilities: readonly Ability[]): void {
  const [lacking, ...others] = abilities.filter((ability) => !context.may(ability));
  if (lacking) throw new ForbiddenError(lacking, ...others);
}

/** What is wrong, by input path: `{"input.items.0.quantity": ["Must not be zero."]}`. */
export type FieldErrors = Record<string, string[]>;

export class ValidationError extends CodedError {
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors) {
    super('VALIDATION_FAILED', summary(errors), { errors });
    this.errors = errors;
  }
}

/** One sentence for people: the first fault, and how many more there are. */
export function summary(errors: FieldErrors): string {
  const messages = Object.entries(errors).flatMap(([path, texts]) => texts.map((text) => `${path}: ${text}`));
  const more = messages.length - 1;
  return more > 0 ? `${messages[0]} (and ${more} more)` : (messages[0] ?? 'The request is not valid.');
}

/** More than the fullest invoice can have wrong; without an end, a small body would make a huge answer. */
const mostPaths = 10_000;

/** Collects what is wrong with an input, so that all of it can be reported at once. */
export class Problems {
  #count = 0;
  readonly #left: (() => PromiseLike<unknown>)[] = [];
  // Without a prototype: a path may be anything a client sends, __proto__ too.
  readonly errors: FieldErrors = Object.create(null) as FieldErrors;

  add(path: string, message: string): void {
    if (this.#count === mostPaths && !this.has(path)) return;
    if (!this.has(path)) this.#count++;
    const messages = (this.errors[path] ??= []);
    if (!messages.includes(message)) messages.push(message);
  }

  has(path: string): boolean {
    return path in this.errors;
  }

  /** Leaves to the database what it refuses by itself when it writes: asked only by `lookUp()`. */
  leave(check: () => PromiseLike<unknown>): void {
    this.#left.push(check);
  }

  /** The same of a reference, whose foreign key refuses what doesn't exist. */
  addUnless(exists: () => PromiseLike<unknown>, path: string, message: string): void {
    this.leave(async () => {
      if (!(await exists())) this.add(path, message);
    });
  }

  /** For where nothing is going to be written: where something else is wrong, or the database has refused. */
  async lookUp(): Promise<void> {
    // A check that was left may leave others.
    for (;;) {
      const checks = this.#left.splice(0);
      if (checks.length === 0) return;
      await Promise.all(checks.map((check) => check()));
    }
  }

  get any(): boolean {
    return this.#count > 0;
  }

  throwIfAny(): void {
    if (this.any) throw new ValidationError(this.errors);
  }
}

/** Refuses one field. */
export function refuse(path: string, message: string): never {
  throw new ValidationError({ [path]: [message] });
}

/** What was looked up, or NotFoundError. */
export async function found<T>(lookup: PromiseLike<T | null>): Promise<T> {
  const row = await lookup;
  if (row === null) throw new NotFoundError();
  return row;
}
