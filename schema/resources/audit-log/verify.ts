import type { Context } from '../../graphql/context.ts';
import type { NotedHead } from '../anchor/noted-heads.ts';
import type { Difference, Report } from '../difference.ts';
import { sealedContent } from './seal.ts';

/** How many seals, and how many entries, are read at a time. */
const sealsAtATime = 500;
const entriesAtATime = 20_000;

/** How long an entry may be without a seal. A job seals each minute, but an import of large books has very many entries. */
const sealedWithinMs = 24 * 60 * 60 * 1000;

/** Entries may be deleted after so many years, and later by the setting AUDIT_LOG_YEARS. */
const keptYears = 7;

/** The result of a verification of the audit log. */
export interface AuditVerification {
  /** How many entries agree with the chain. */
  entries: number;
  /** How many entries are not sealed yet. */
  unsealed: number;
  /** The last seal up to which all follow from each other; null if there is none. It proves all earlier ones. */
  last: { number: number; hash: string } | null;
  /** The first difference; null if there is none. */
  difference: string | null;
}

export interface VerifyAuditLogOptions {
  report?: Report;
  /** Seals that were noted earlier: all up to them must be as they were then. */
  expected?: readonly NotedHead[];
}

/** Computes the hashes of all entries of the tenant's audit log again, in the order of the chain. */
export async function verifyAuditLog(
  context: Context,
  { report = () => {}, expected = [] }: VerifyAuditLogOptions = {},
): Promise<AuditVerification> {
  const found: AuditVerification = { entries: 0, unsealed: 0, last: null, difference: null };
  const add = (id: string | null, message: string): void => {
    found.difference ??= message;
    report({ type: 'audit_entry', id, message });
  };
  const sealedUpTo = await verifySeals(context, { found, add, noted: new Noted(context, add, expected) });
  await verifyUnsealed(context, found, add, sealedUpTo);
  return found;
}

type Add = (id: Difference['id'], message: string) => void;

export const sayEntry = ({ position }: NotedHead): string => `Entry ${position} of the audit log`;

/** Whether the log must still have an entry that was noted. */
export function mustBeKept({ at }: NotedHead, { now }: Context): boolean {
  const keptFrom = new Date(now());
  keptFrom.setUTCFullYear(keptFrom.getUTCFullYear() - keptYears);
  return at === undefined || at >= keptFrom;
}

/** Compares the seals with those that were noted. */
class Noted {
  readonly #add: Add;
  readonly #heads: Map<number, NotedHead[]>;
  readonly #context: Context;

  constructor(context: Context, add: Add, expected: readonly NotedHead[]) {
    this.#context = context;
    this.#add = add;
    this.#heads = Map.groupBy(expected, ({ position }) => position);
  }

  compare(id: string | null, number: number, hash: Uint8Array): void {
    for (const head of this.#heads.get(number) ?? [])
      if (!Buffer.from(head.hash, 'hex').equals(hash))
        this.#add(id, `${sayEntry(head)} is not the one of which a hash was noted`);
    this.#heads.delete(number);
  }

  /** Those that were not compared are missing, unless their time may be over. */
  end(): void {
    for (const heads of this.#heads.values()) {
      const head = heads.find((each) => mustBeKept(each, this.#context));
      if (head) this.#add(null, `${sayEntry(head)} is missing, of which a hash was noted`);
    }
  }
}

/** An entry with its hash, of what it says now. PostgreSQL computes it: entries may be long. */
interface HashedEntry {
  id: string;
  position: string;
  hash: string;
}

interface Check {
  found: AuditVerification;
  add: Add;
  noted: Noted;
}

/** @returns the position of the last sealed entry */
async function verifySeals({ db }: Context, { found, add, noted }: Check): Promise<bigint> {
  let before: Buffer = Buffer.alloc(32);
  let [number, position, isFirst, isWhole] = [0, 0n, true, true];
  for (;;) {
    const seals = await db.auditSeal.findMany({
      where: { number: { gt: number } },
      orderBy: { number: 'asc' },
      take: sealsAtATime,
    });
    const ids = seals.map(({ id }) => id);
    const entries = await db.$rows<HashedEntry>(
      `select entry.id, entry.position::text, encode(sha256(seal.previous_hash || convert_to(content, 'UTF8')), 'hex') as hash
       from (
         select id, audit_entries.position, ${sealedContent} as content from audit_entries
         where tenant_id = $1 and id = any ($2::uuid[])
       ) as entry join audit_seals as seal on seal.tenant_id = $1 and seal.id = entry.id`,
      [ids],
    );
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    for (const seal of seals) {
      // The first that is kept follows from one that was deleted when its time was over.
      if (isFirst) {
        [number, before] = [seal.number - 1, Buffer.from(seal.previousHash)];
        noted.compare(null, number, before);
      }
      const difference = findDifference(seal, byId.get(seal.id), number + 1, before);
      if (difference !== null) add(seal.id, difference);
      else found.entries += 1;
      noted.compare(seal.id, seal.number, seal.hash);
      isWhole &&= difference === null;
      before = Buffer.from(seal.hash);
      [number, position, isFirst] = [seal.number, seal.position, false];
      if (isWhole) found.last = { number, hash: before.toString('hex') };
    }
    if (seals.length < sealsAtATime) break;
  }
  noted.end();
  return position;
}

function findDifference(
  seal: { number: number; position: bigint; previousHash: Uint8Array; hash: Uint8Array },
  entry: HashedEntry | undefined,
  expected: number,
  before: Buffer,
): string | null {
  if (seal.number !== expected)
    return seal.number === expected + 1
      ? `Entry ${expected} of the audit log is missing`
      : `The entries ${expected} to ${seal.number - 1} of the audit log are missing`;
  if (!entry) return `Entry ${expected} of the audit log is deleted`;
  if (!before.equals(seal.previousHash) || BigInt(entry.position) !== seal.position)
    return `Entry ${expected} of the audit log does not follow from the entry before it`;
  if (!Buffer.from(seal.hash).equals(Buffer.from(entry.hash, 'hex')))
    return `Entry ${expected} of the audit log was changed`;
  return null;
}

/** Entries of a page that have no seal: all, those that are older than they may be, and the last of the page. */
const unsealedSql = `
  select count(*)::integer as entries, count(*) filter (where seal.id is null)::integer as unsealed,
    count(*) filter (where seal.id is null and (entry.at < $4::timestamptz or entry.position <= $5::bigint))::integer as late,
    (array_agg(entry.position::text order by entry.position desc, entry.id desc))[1] as position,
    (array_agg(entry.id order by entry.position desc, entry.id desc))[1] as id
  from (
    select id, position, at from audit_entries where tenant_id = $1 and (position, id) > ($2::bigint, $3::uuid)
    order by position, id limit ${entriesAtATime}
  ) as entry
  left join audit_seals as seal on seal.tenant_id = $1 and seal.id = entry.id`;

interface Unsealed {
  entries: number;
  unsealed: number;
  late: number;
  position: string;
  id: string;
}

/** Entries before the last sealed one were never given a position by the service: the job seals without gaps. */
async function verifyUnsealed(
  { db, now }: Context,
  found: AuditVerification,
  add: Add,
  sealedUpTo: bigint,
): Promise<void> {
  const before = new Date(now().getTime() - sealedWithinMs).toISOString();
  let late = 0;
  for (let [position, id] = ['0', '00000000-0000-0000-0000-000000000000']; ;) {
    const [page] = await db.$rows<Unsealed>(unsealedSql, [position, id, before, String(sealedUpTo)]);
    found.unsealed += page?.unsealed ?? 0;
    late += page?.late ?? 0;
    if (!page || page.entries < entriesAtATime) break;
    ({ position, id } = page);
  }
  if (late > 0)
    add(null, `${late} ${late === 1 ? 'entry' : 'entries'} of the audit log should have been sealed, and are not`);
}
