import { CodedError } from '../errors/errors.ts';
import type { Context } from '../graphql/context.ts';

/** @throws CodedError FORBIDDEN for the books of a business, in which nothing is simulated */
export function requireTestTenant({ tenant }: Pick<Context, 'tenant'>): void {
  if (!tenant.test)
    throw new CodedError('FORBIDDEN', 'Only in a test tenant: use a token of one, which begins with kontor_test_.');
}
