/** The rights that a role has on a table by one verb. */
export interface AccessRight {
  /** The privileges for the whole table or for columns of it. */
  readonly privileges: ReadonlySet<string>;
  /** Undefined if a privilege is for the whole table. */
  readonly columns: ReadonlySet<string> | undefined;
  readonly grantable: boolean;
}

/** What the server says that a role holds on a table, whether or not it may connect or use the schema. */
export interface HeldPrivileges {
  readonly usesSchema: boolean;
  /** The privileges for the whole table: SELECT, INSERT, … */
  readonly whole: readonly string[];
  /** By privilege, the columns, for privileges that are not held for the whole table. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly readGrantable: boolean;
  readonly writeGrantable: boolean;
}

/** What a view needs of one table or view that it reads. */
export interface ViewNeed {
  readonly base: number;
  /** Names of the columns that must be readable; empty if any one is enough. */
  readonly columns: readonly string[];
}

/** A view whose tables are checked when it is read. A materialized view is none: it has the rows. */
export interface CheckedView {
  readonly owner: number;
  /** With `security_invoker`, the tables are checked for the caller instead of the owner. */
  readonly isInvoker: boolean;
  /** Writes run triggers or rules, which are not examined. */
  readonly hasOwnWrites: boolean;
  readonly needs: readonly ViewNeed[];
}

export type Verb = 'CAN_READ' | 'CAN_WRITE';
export const VERBS: readonly Verb[] = ['CAN_READ', 'CAN_WRITE'];
const READING: ReadonlySet<string> = new Set(['SELECT']);
const WRITING: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']);

/** Whether the first right includes the second. */
export function includes(right: AccessRight | undefined, other: AccessRight): boolean {
  if (right === undefined || !other.privileges.isSubsetOf(right.privileges)) return false;
  return right.columns === undefined || other.columns?.isSubsetOf(right.columns) === true;
}

/**
 * What roles can do in one database, by the numbers (OIDs) of roles and tables: the privileges that the
 * server's own functions report, where the schema may be used, without reads of views that fail on the tables
 * below.
 */
export class DatabaseAccess {
  readonly #held = new Map<number, Map<number, HeldPrivileges>>();
  readonly #views: ReadonlyMap<number, CheckedView>;
  /** Whether a role can read a view, by view and role. */
  readonly #readable = new Map<string, boolean>();

  constructor(views: ReadonlyMap<number, CheckedView>) {
    this.#views = views;
  }

  add(role: number, table: number, held: HeldPrivileges): void {
    const ofRole = this.#held.get(role) ?? new Map<number, HeldPrivileges>();
    this.#held.set(role, ofRole.set(table, held));
  }

  /** Call when all privileges are added. */
  *rightsOf(role: number, verb: Verb): Iterable<readonly [table: number, right: AccessRight]> {
    for (const table of this.#held.get(role)?.keys() ?? []) {
      const right = this.right(role, table, verb);
      if (right !== undefined) yield [table, right];
    }
  }

  right(role: number, table: number, verb: Verb): AccessRight | undefined {
    const held = this.#held.get(role)?.get(table);
    if (held?.usesSchema !== true) return undefined;
    const isReading = verb === 'CAN_READ';
    const wanted = isReading ? READING : WRITING;
    const isUsable = (privilege: string): boolean =>
      wanted.has(privilege) && (isReading || this.#mayWriteThrough(role, table, privilege));
    const whole = held.whole.filter(isUsable);
    const inPart = [...held.columns].filter(([privilege]) => isUsable(privilege));
    if (whole.length === 0 && inPart.length === 0) return undefined;
    if (isReading && !this.#runs(table, role)) return undefined;
    return {
      privileges: new Set([...whole, ...inPart.map(([privilege]) => privilege)]),
      columns: whole.length > 0 ? undefined : new Set(inPart.flatMap(([, columns]) => columns)),
      grantable: isReading ? held.readGrantable : held.writeGrantable,
    };
  }

  /** Whether a query of the role over this table or view passes the checks of what the view reads. */
  #runs(table: number, role: number): boolean {
    const view = this.#views.get(table);
    if (view === undefined) return true;
    const id = `${table} ${role}`;
    const known = this.#readable.get(id);
    if (known !== undefined) return known;
    // A view that reads itself fails on every query.
    this.#readable.set(id, false);
    const checked = view.isInvoker ? role : view.owner;
    const runs = view.needs.every((need) => this.#mayRead(checked, need) && this.#runs(need.base, role));
    this.#readable.set(id, runs);
    return runs;
  }

  #mayRead(role: number, { base, columns }: ViewNeed): boolean {
    const held = this.#held.get(role)?.get(base);
    if (held === undefined) return false;
    if (held.whole.includes('SELECT')) return true;
    const readable = held.columns.get('SELECT') ?? [];
    return readable.length > 0 && columns.every((column) => readable.includes(column));
  }

  /**
   * A write to a view with `security_invoker` is a write of the role to a table below it. For other views
   * only the privilege counts, also where the view accepts no writes.
   */
  #mayWriteThrough(role: number, table: number, privilege: string): boolean {
    const view = this.#views.get(table);
    if (view?.isInvoker !== true || view.hasOwnWrites) return true;
    const held = this.#held.get(role);
    return view.needs.some(({ base }) => {
      const below = held?.get(base);
      return below !== undefined && (below.whole.includes(privilege) || below.columns.has(privilege));
    });
  }
}
