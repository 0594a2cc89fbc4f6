import {
  parse,
  type AlterTableCmd,
  type AlterTableStmt,
  type ColumnDef,
  type Constraint,
  type IndexStmt,
  type Node,
  type RangeVar,
} from 'libpg-query';
import { isConstant, isSerial } from './constant-expressions.ts';

// Effects of a migration's statements on tables that others use meanwhile: the locks that they take, the data that they
// write anew or read as a whole, and the rules of CONTRIBUTING.md#migrations that they break. PostgreSQL's own parser
// reads the statements.

/** PostgreSQL's lock modes, strongest first. */
export const lockModes = [
  'ACCESS EXCLUSIVE',
  'EXCLUSIVE',
  'SHARE ROW EXCLUSIVE',
  'SHARE',
  'SHARE UPDATE EXCLUSIVE',
  'ROW EXCLUSIVE',
] as const;

export type LockMode = (typeof lockModes)[number];

/** Those that neither readers nor writers of rows wait for. */
const harmless: ReadonlySet<LockMode> = new Set(['SHARE UPDATE EXCLUSIVE', 'ROW EXCLUSIVE']);

/** The rules that a statement can break, each with what to do instead. */
export const rules = {
  'index under a lock': 'create index concurrently, as a migration of this one statement',
  'column without a value': 'add the column without not null, or with a constant default',
  'computed column': 'add a column with a constant default or none; a backfill or the code computes it',
  'type changed': 'add a column of the new type, which the code and a backfill fill',
  'not null unchecked': 'add a check (… is not null) not valid, validate it in a later migration, then set not null',
  'constraint of all rows': 'add constraint … not valid, and validate it in a later migration',
  'validated under a lock': 'validate constraint in a migration without statements that lock a table',
  removed: 'remove it one version after its last use',
  renamed: 'add another one, and remove this one in a later version',
  'rows written': 'a backfill (backfill.sql), or code that treats null as the old state',
  'table locked': 'do without the lock',
  hidden: 'write the statement itself, not inside of do',
} as const;

export type Rule = keyof typeof rules;

export interface TableLock {
  table: string;
  mode: LockMode;
}

export interface Effects {
  /** The statement on one line. */
  statement: string;
  /** Of tables that were there before the migration. */
  locks: TableLock[];
  /** Whether it writes all rows of a table anew under its lock. */
  rewrites: boolean;
  /** Whether it reads all rows of a table. */
  reads: boolean;
  broken: Rule[];
}

/** The CHECK constraints of earlier migrations that a column isn't null, by table and name. */
export class History {
  readonly #notNull = new Map<string, string>();
  readonly #validated = new Set<string>();

  add(
    table: string,
    { conname = '', contype, raw_expr: expression, skip_validation: skipped = false }: Constraint,
  ): void {
    const column = contype === 'CONSTR_CHECK' ? notNullColumn(expression) : undefined;
    if (column === undefined) return;
    this.#notNull.set(`${table}.${conname}`, `${table}.${column}`);
    if (!skipped) this.#validated.add(`${table}.${column}`);
  }

  validate(table: string, constraint: string): void {
    const column = this.#notNull.get(`${table}.${constraint}`);
    if (column !== undefined) this.#validated.add(column);
  }

  isNeverNull = (table: string, column: string): boolean => this.#validated.has(`${table}.${column}`);
}

/** The column of `column is not null`. */
function notNullColumn(expression: Node | undefined): string | undefined {
  if (!expression || !('NullTest' in expression)) return undefined;
  const { nulltesttype, arg } = expression.NullTest;
  return nulltesttype === 'IS_NOT_NULL' && arg && 'ColumnRef' in arg ? lastName(arg.ColumnRef.fields) : undefined;
}

const lastName = (names: Node[] | undefined): string => {
  const last = names?.at(-1);
  return last && 'String' in last ? (last.String.sval ?? '') : '';
};

/** @param history of the migrations before; it goes on with this one */
export async function readEffects(script: string, history = new History()): Promise<Effects[]> {
  const { stmts = [] } = await parse(script);
  const bytes = Buffer.from(script); // positions count bytes
  const made = new Set<string>();
  const all = stmts.map(({ stmt, stmt_location: start = 0, stmt_len: length = 0 }): Effects => {
    const text = bytes.subarray(start, length > 0 ? start + length : undefined).toString();
    const reader = new StatementReader(made, history);
    if (stmt) reader.read(stmt);
    return { statement: onOneLine(text), ...reader.effects() };
  });
  const isLocking = all.some(({ locks }) => locks.some(({ mode }) => !harmless.has(mode)));
  return all.map((effects) =>
    isLocking && /\bvalidate constraint\b/i.test(effects.statement)
      ? { ...effects, broken: [...effects.broken, 'validated under a lock'] }
      : effects,
  );
}

const onOneLine = (text: string): string =>
  text
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Functions of the baseline that alter the table of their first argument. */
const helpers: Readonly<Record<string, LockMode>> = {
  isolate: 'ACCESS EXCLUSIVE',
  audit: 'SHARE ROW EXCLUSIVE',
  audit_lines: 'SHARE ROW EXCLUSIVE',
  count_rows: 'SHARE ROW EXCLUSIVE',
  track_changes: 'SHARE ROW EXCLUSIVE',
};

/** Statements inside of `do`, which nothing else here would see. */
const inCode =
  /\b(?:update\s+(?:only\s+)?[\w"%]+\s+set|delete\s+from|merge\s+into|alter\s+table|create\s+(?:unique\s+)?index|drop\s+table|truncate|lock\s+table)\b/i;

class StatementReader {
  /** The tables that this migration made before. */
  readonly #made: Set<string>;
  readonly #history: History;
  readonly #locks = new Map<string, LockMode>();
  readonly #broken = new Set<Rule>();
  #rewrites = false;
  #reads = false;

  constructor(made: Set<string>, history: History) {
    this.#made = made;
    this.#history = history;
  }

  effects(): Omit<Effects, 'statement'> {
    const locks = [...this.#locks].map(([table, mode]) => ({ table, mode }));
    return { locks, rewrites: this.#rewrites, reads: this.#reads, broken: [...this.#broken] };
  }

  /** @returns whether the table was there before the migration */
  #lock({ relname: table = '' }: RangeVar, mode: LockMode): boolean {
    if (this.#made.has(table)) return false;
    const held = this.#locks.get(table);
    if (held === undefined || lockModes.indexOf(mode) < lockModes.indexOf(held)) this.#locks.set(table, mode);
    return true;
  }

  #break(rule: Rule): void {
    this.#broken.add(rule);
  }

  read(statement: Node): void {
    if ('CreateStmt' in statement) this.#create(statement.CreateStmt.relation, statement.CreateStmt.tableElts);
    else if ('AlterTableStmt' in statement) this.#alter(statement.AlterTableStmt);
    else if ('IndexStmt' in statement) this.#index(statement.IndexStmt);
    else if ('CreateTrigStmt' in statement)
      this.#lockRelation(statement.CreateTrigStmt.relation, 'SHARE ROW EXCLUSIVE');
    else if ('CreatePolicyStmt' in statement) this.#lockRelation(statement.CreatePolicyStmt.table, 'ACCESS EXCLUSIVE');
    else if ('AlterPolicyStmt' in statement) this.#lockRelation(statement.AlterPolicyStmt.table, 'ACCESS EXCLUSIVE');
    else if ('RenameStmt' in statement) {
      const { relation, renameType } = statement.RenameStmt;
      if (!relation || !this.#lock(relation, 'ACCESS EXCLUSIVE')) return;
      if (renameType === 'OBJECT_TABLE' || renameType === 'OBJECT_COLUMN') this.#break('renamed');
    } else if ('DropStmt' in statement) {
      const { removeType, objects = [] } = statement.DropStmt;
      for (const names of objects.map(readNames)) this.#drop(removeType, names);
    } else if ('UpdateStmt' in statement) this.#write(statement.UpdateStmt.relation);
    else if ('DeleteStmt' in statement) this.#write(statement.DeleteStmt.relation);
    else if ('MergeStmt' in statement) this.#write(statement.MergeStmt.relation);
    else if ('InsertStmt' in statement) this.#lockRelation(statement.InsertStmt.relation, 'ROW EXCLUSIVE');
    else if ('LockStmt' in statement) this.#lockWhole(statement.LockStmt.relations);
    else if ('TruncateStmt' in statement) this.#lockWhole(statement.TruncateStmt.relations);
    else if ('ClusterStmt' in statement || 'VacuumStmt' in statement) this.#break('table locked');
    else if ('SelectStmt' in statement) this.#call(statement.SelectStmt.targetList);
    else if ('DoStmt' in statement) this.#code(statement.DoStmt.args);
  }

  #lockRelation(relation: RangeVar | undefined, mode: LockMode): void {
    if (relation) this.#lock(relation, mode);
  }

  #lockWhole(relations: Node[] = []): void {
    for (const relation of relations) {
      if ('RangeVar' in relation && this.#lock(relation.RangeVar, 'ACCESS EXCLUSIVE')) this.#break('table locked');
    }
  }

  #write(relation: RangeVar | undefined): void {
    if (!relation || !this.#lock(relation, 'ROW EXCLUSIVE')) return;
    this.#reads = true;
    this.#break('rows written');
  }

  #create(relation: RangeVar | undefined, elements: Node[] = []): void {
    this.#made.add(relation?.relname ?? '');
    for (const element of elements) {
      const constraints = 'ColumnDef' in element ? (element.ColumnDef.constraints ?? []) : [element];
      for (const constraint of constraints) {
        if ('Constraint' in constraint) this.#lockRelation(constraint.Constraint.pktable, 'SHARE ROW EXCLUSIVE');
      }
    }
  }

  #index({ relation, concurrent = false }: IndexStmt): void {
    if (!relation || !this.#lock(relation, concurrent ? 'SHARE UPDATE EXCLUSIVE' : 'SHARE')) return;
    this.#reads = true;
    if (!concurrent) this.#break('index under a lock');
  }

  #drop(kind: string | undefined, names: string[]): void {
    // Of a trigger or a policy, the name before the last is its table's.
    const relname =
      kind === 'OBJECT_TABLE'
        ? names.at(-1)
        : kind === 'OBJECT_TRIGGER' || kind === 'OBJECT_POLICY'
          ? names.at(-2)
          : undefined;
    if (relname === undefined || !this.#lock({ relname }, 'ACCESS EXCLUSIVE')) return;
    if (kind === 'OBJECT_TABLE') this.#break('removed');
  }

  #call(targets: Node[] = []): void {
    for (const target of targets) {
      const value = 'ResTarget' in target ? target.ResTarget.val : undefined;
      if (!value || !('FuncCall' in value)) continue;
      const { funcname, args: [argument] = [] } = value.FuncCall;
      const mode = helpers[lastName(funcname)];
      if (mode === undefined || !argument || !('A_Const' in argument)) continue;
      this.#lock({ relname: argument.A_Const.sval?.sval ?? '' }, mode);
    }
  }

  #code(parts: Node[] = []): void {
    for (const part of parts) {
      const argument = 'DefElem' in part ? part.DefElem.arg : undefined;
      if (argument && 'String' in argument && inCode.test(argument.String.sval ?? '')) this.#break('hidden');
    }
  }

  #alter({ relation, cmds = [], objtype }: AlterTableStmt): void {
    if (!relation || objtype !== 'OBJECT_TABLE') return;
    const table = relation.relname ?? '';
    for (const each of cmds) {
      if (!('AlterTableCmd' in each)) continue;
      const command = each.AlterTableCmd;
      const isOld = this.#lock(relation, findLock(command));
      if (command.subtype === 'AT_ValidateConstraint') this.#history.validate(table, command.name ?? '');
      const { def } = command;
      if (def && 'Constraint' in def) this.#constraint(table, def.Constraint, isOld);
      if (isOld) this.#command(table, command);
    }
  }

  #command(table: string, { subtype = 'AT_AddColumn', def, name = '' }: AlterTableCmd): void {
    if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) this.#column(def.ColumnDef);
    else if (subtype === 'AT_AlterColumnType') this.#rewrite('type changed');
    else if (subtype === 'AT_SetExpression') this.#rewrite('computed column');
    else if (subtype === 'AT_DropColumn') this.#break('removed');
    else if (subtype === 'AT_ValidateConstraint') this.#reads = true;
    else if (subtype === 'AT_SetNotNull' && !this.#history.isNeverNull(table, name)) {
      this.#reads = true;
      this.#break('not null unchecked');
    } else if (rewriting.has(subtype)) this.#rewrite('table locked');
  }

  #rewrite(rule: Rule): void {
    this.#rewrites = true;
    this.#reads = true;
    this.#break(rule);
  }

  #constraint(table: string, constraint: Constraint, isOld: boolean): void {
    const { contype, skip_validation: skipped = false, indexname = '', pktable } = constraint;
    this.#history.add(table, constraint);
    this.#lockRelation(pktable, 'SHARE ROW EXCLUSIVE');
    if (!isOld || skipped || indexname !== '') return;
    this.#reads = true;
    if (contype === 'CONSTR_NOTNULL') this.#break('not null unchecked');
    else
      this.#break(
        contype === 'CONSTR_CHECK' || contype === 'CONSTR_FOREIGN' ? 'constraint of all rows' : 'index under a lock',
      );
  }

  #column({ constraints = [], typeName }: ColumnDef): void {
    const all = constraints.flatMap((each) => ('Constraint' in each ? [each.Constraint] : []));
    const initial = all.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
    const isStored = all.some(
      ({ contype, generated_kind: kind }) =>
        contype === 'CONSTR_IDENTITY' || (contype === 'CONSTR_GENERATED' && kind !== 'v'),
    );
    const isVolatile = (initial !== undefined && !isConstant(initial)) || isSerial(lastName(typeName?.names));
    if (isStored || isVolatile) this.#rewrite('computed column');
    else if (
      initial === undefined &&
      all.some(({ contype }) => contype === 'CONSTR_NOTNULL' || contype === 'CONSTR_PRIMARY')
    )
      this.#break('column without a value');
    for (const { contype, pktable } of all) {
      this.#lockRelation(pktable, 'SHARE ROW EXCLUSIVE');
      const readsAll = contype === 'CONSTR_CHECK' || (contype === 'CONSTR_FOREIGN' && initial !== undefined);
      const isKey = contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY';
      if (readsAll || isKey) this.#reads = true;
      if (readsAll) this.#break('constraint of all rows');
      if (isKey) this.#break('index under a lock');
    }
  }
}

const readNames = (names: Node): string[] =>
  'List' in names
    ? (names.List.items ?? []).map((item) => ('String' in item ? (item.String.sval ?? '') : ''))
    : 'String' in names
      ? [names.String.sval ?? '']
      : [];

/** Commands of ALTER TABLE that write the table anew, beside a change of type. */
const rewriting: ReadonlySet<string> = new Set([
  'AT_SetLogged',
  'AT_SetUnLogged',
  'AT_SetAccessMethod',
  'AT_SetTableSpace',
  'AT_AddIdentity',
]);

/** Commands of ALTER TABLE that take less than the strongest lock. */
const weaker: Readonly<Partial<Record<string, LockMode>>> = {
  AT_ValidateConstraint: 'SHARE UPDATE EXCLUSIVE',
  AT_SetStatistics: 'SHARE UPDATE EXCLUSIVE',
  AT_SetOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_SetRelOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_ResetRelOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_EnableTrig: 'SHARE ROW EXCLUSIVE',
  AT_DisableTrig: 'SHARE ROW EXCLUSIVE',
};

function findLock({ subtype = 'AT_AddColumn', def }: AlterTableCmd): LockMode {
  const isKey = def !== undefined && 'Constraint' in def && def.Constraint.contype === 'CONSTR_FOREIGN';
  return isKey ? 'SHARE ROW EXCLUSIVE' : (weaker[subtype] ?? 'ACCESS EXCLUSIVE');
}
