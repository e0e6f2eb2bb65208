/** Computes the statements on a record after a request, and their stored form. */
import type { EntityState, RelationshipState, Sighting, Stamp } from '#graph/memory';
import { createProperties } from '#graph/model';
import { connectorsOf, marked, type ExplicitFields } from '../source/owner-marks.ts';
import { patchedFields, type StatedFields, wholeFields } from '../source/record-fields.ts';
import type { SourceTable } from '../source/source-table.ts';
import { encodeStatements } from '../source/statement-record.ts';
import {
  impliedEntity,
  impliedRelationship,
  latestOf,
  overridden,
  type PriorityOf,
  replaced,
  type Statement,
  unionOf,
  withdrawn,
} from '../source/statement.ts';
import type { PlanContext } from './plan-context.ts';
import type { Stamper } from './stamper.ts';

/** The stored form of a record and its statements: see {@link SourcePlanner.kept}. */
export interface Kept {
  readonly stamp: Stamp;
  readonly owners: readonly string[];
  /** JSON of the record of statements; null removes it, undefined keeps it. */
  readonly statements: string | null | undefined;
}

interface Keeping {
  readonly id: string;
  readonly statements: readonly Statement[];
  readonly stamp: Stamp;
  readonly connectors: readonly string[];
  readonly spelledOut: ExplicitFields;
}

export class SourcePlanner {
  /** Whether the request changes its source's priority. */
  readonly isReranked: boolean;
  /** Whether the request states all properties of a record, or only adds to them. */
  readonly isWhole: boolean;
  readonly #context: PlanContext;
  readonly #stamper: Stamper;
  readonly #table: SourceTable;
  readonly #priorityOf: PriorityOf;
  /** The request's statements on records with several sources. */
  #stated: Map<string, StatedFields> | undefined;
  #soleOwners: readonly string[] | undefined;

  constructor(context: PlanContext, stamper: Stamper, table: SourceTable) {
    const { connectorId, priority, mode } = context;
    this.isWhole = mode === 'diff';
    this.#context = context;
    this.#stamper = stamper;
    this.#table = table;
    this.isReranked = priority !== undefined && priority !== table.priorityOf(connectorId);
    this.#priorityOf = (id) =>
      id === connectorId ? (priority ?? table.priorityOf(id)) : table.priorityOf(id);
  }

  isOwner(owners: readonly string[]): boolean {
    return owners.includes(this.#context.connectorId);
  }

  /** Whether this connector is the only source of a live record, without a record of statements. */
  isSole(id: string, owners: readonly string[]): boolean {
    if (this.#table.has(id)) return false;
    if (owners === this.#soleOwners) return true;
    const connectors = connectorsOf(owners);
    if (connectors.length !== 1 || connectors[0] !== this.#context.connectorId) return false;
    this.#soleOwners = owners;
    return true;
  }

  ofEntity(id: string, state: EntityState): readonly Statement[] {
    const known = this.#table.statements(id);
    if (known !== undefined) return known;
    const { type, key, displayName, labels } = state;
    const input = {
      type,
      key,
      class: state.class,
      displayName,
      labels,
      properties: state.properties(),
      kinds: state.kinds(),
    };
    return [impliedEntity(state.stamp, state.owners, input)];
  }

  ofRelationship(id: string, state: RelationshipState): readonly Statement[] {
    const content = { verb: state.verb, properties: state.properties(), kinds: state.kinds() };
    return this.#table.statements(id) ?? [impliedRelationship(state.stamp, state.owners, content)];
  }

  /**
   * The statements after this connector states `fields`: a diff replaces its statement, a patch extends it.
   */
  restated(statements: readonly Statement[], fields: StatedFields): readonly Statement[] {
    const { connectorId, overrides } = this.#context;
    if (overrides === true) return overridden(statements, fields, this.#context);
    const old = statements.find((statement) => statement.connectorId === connectorId)?.fields;
    return replaced(
      statements,
      this.isWhole ? wholeFields(fields) : patchedFields(old, fields),
      this.#context,
    );
  }

  /** The statements without the one of this connector. */
  withdrawn(statements: readonly Statement[]): readonly Statement[] {
    return withdrawn(statements, this.#context.connectorId);
  }

  union(statements: readonly Statement[]): StatedFields {
    return unionOf(statements, this.#priorityOf);
  }

  /** Returns this connector's fields of a record, and stores them for {@link noted}. */
  note(id: string, statements: readonly Statement[]): StatedFields {
    const { connectorId } = this.#context;
    const mine = statements.find((statement) => statement.connectorId === connectorId);
    const fields = mine?.fields ?? createProperties();
    this.#stated ??= new Map();
    this.#stated.set(id, fields);
    return fields;
  }

  /** The earlier statement of the same request on a record with several sources. */
  noted(id: string): StatedFields | undefined {
    return this.#stated?.get(id);
  }

  /** The stored form of a record stated by this connector, with new content or seen again. */
  stated(id: string, state: Sighting, after: Settled): Kept {
    const stamp = after.isSame ? this.#stamper.seen(state.stamp) : this.#stamper.changed(state.stamp);
    const before = connectorsOf(state.owners);
    const connectors = this.#context.overrides === true ? before : this.#stamper.joined(before);
    return this.#kept({ id, ...after, stamp, connectors });
  }

  /** The stored form of a record that this connector no longer states, or states with another priority. */
  left(id: string, state: Sighting, after: Settled & { readonly connectors: readonly string[] }): Kept {
    const { connectorId, syncId, nowMs } = this.#context;
    const { connectors, statements, isSame } = after;
    const own = { connectorId, syncId, syncedAtMs: nowMs };
    const latest = latestOf(statements);
    const heir = latest && { ...latest, syncedAtMs: latest.sinceMs };
    const writer = connectors.includes(connectorId) ? own : (heir ?? state.stamp);
    const isKept = isSame && connectors.includes(state.stamp.connectorId);
    const stamp = isKept ? state.stamp : this.#stamper.rewritten(state.stamp, writer, !isSame);
    return this.#kept({ id, ...after, stamp });
  }

  /** The change to the record of statements of a deleted record. */
  ended(id: string): null | undefined {
    return this.#table.has(id) ? null : undefined;
  }

  /** Statements that follow from the record are not stored. */
  #kept({ id, statements, stamp, connectors, spelledOut }: Keeping): Kept {
    const [sole, second] = statements;
    const isImplied =
      second === undefined &&
      (sole === undefined ||
        (sole.connectorId === stamp.connectorId &&
          sole.syncId === stamp.syncId &&
          sole.sinceMs === stamp.syncedAtMs));
    if (isImplied) return { stamp, owners: marked(connectors, spelledOut), statements: this.ended(id) };
    const text = encodeStatements(statements);
    return { stamp, owners: connectors, statements: text === this.#table.text(id) ? undefined : text };
  }
}

/** The result of a record's sources. */
export interface Settled {
  readonly statements: readonly Statement[];
  /** Whether the content of the record is unchanged. */
  readonly isSame: boolean;
  /** Defaults that a sole source states explicitly. */
  readonly spelledOut: ExplicitFields;
}
