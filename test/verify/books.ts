import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import type { Difference } from '../../schema/resources/difference.ts';
import { hasUnproven, proveNext } from '../../schema/resources/document/proofs.ts';
import { noHeads, type NotedHeads } from '../../schema/resources/anchor/noted-heads.ts';
import { verifyBooks, type BooksVerification } from '../../schema/verification/verify-books.ts';
import type { Integrator, Service } from '../harness.ts';

/** Proves all documents, and seals the audit log, as the jobs do. */
export async function proveAndSeal(service: Service, who: Integrator): Promise<void> {
  const context = await service.contextOf(who);
  while (await hasUnproven(context)) await proveNext(context);
  while (await sealNext(context));
}

/** The findings of `kontor verify`. */
export async function verify(
  service: Service,
  who: Pick<Integrator, 'tenantId' | 'userId'>,
  expected: NotedHeads = noHeads,
): Promise<BooksVerification & { all: Difference[] }> {
  const all: Difference[] = [];
  const found = await verifyBooks(await service.contextOf(who), { report: (each) => all.push(each), expected });
  return { ...found, all };
}
