import type { Stamp } from '#graph/memory';
import { marked, type ExplicitFields } from '../source/owner-marks.ts';
import type { Writer } from '../source/statement.ts';
import type { PlanContext } from './plan-context.ts';

/**
 * Creates the stamps and owner lists of one request, or of several requests of one source at one time. Equal
 * ones are the same object if that is cheap to detect: a batch of new records shares a single stamp.
 */
export class Stamper {
  readonly fresh: Stamp;
  readonly #ownersOfFresh: (readonly string[])[] = [];
  readonly #context: PlanContext;
  #seenOf: Stamp | undefined;
  #seen: Stamp | undefined;
  #joinedOf: readonly string[] | undefined;
  #joined: readonly string[] = [];

  constructor(context: PlanContext) {
    this.#context = context;
    this.fresh = this.#written(context.nowMs, 1);
  }

  /** Whether requests of this context have the same stamps. */
  serves({ connectorId, syncId, nowMs }: PlanContext): boolean {
    const own = this.#context;
    return own.nowMs === nowMs && own.connectorId === connectorId && own.syncId === syncId;
  }

  /** The owners of a record that only this connector states, with its explicitly stated defaults. */
  sole(spelledOut: ExplicitFields): readonly string[] {
    this.#ownersOfFresh[spelledOut] ??= marked([this.#context.connectorId], spelledOut);
    return this.#ownersOfFresh[spelledOut];
  }

  /** The stamp of new content over an older version, live or deleted. */
  changed(old: Stamp): Stamp {
    return this.#written(old.createdAtMs, old.version + 1);
  }

  /** The stamp of a record whose content was seen again unchanged. */
  seen(old: Stamp): Stamp {
    if (this.#seen === undefined || this.#seenOf !== old) {
      this.#seenOf = old;
      this.#seen = { ...old, lastSeenAtMs: Math.max(old.lastSeenAtMs, this.#context.nowMs) };
    }
    return this.#seen;
  }

  /** The stamp with a record's new source; with `isChanged`, also for changed content. */
  rewritten(old: Stamp, { connectorId, syncId, syncedAtMs }: Writer, isChanged: boolean): Stamp {
    const stamp = { ...old, connectorId, syncId, syncedAtMs };
    if (!isChanged) return stamp;
    return {
      ...stamp,
      updatedAtMs: Math.max(old.updatedAtMs, this.#context.nowMs),
      version: old.version + 1,
    };
  }

  deleted(old: Stamp): Stamp {
    return { ...old, deletedAtMs: Math.max(old.updatedAtMs, this.#context.nowMs) };
  }

  /** The owners including this connector, sorted. */
  joined(owners: readonly string[]): readonly string[] {
    if (this.#joinedOf !== owners) {
      const { connectorId } = this.#context;
      this.#joinedOf = owners;
      this.#joined = owners.includes(connectorId) ? owners : Object.freeze([...owners, connectorId].sort());
    }
    return this.#joined;
  }

  /** The owners without this connector. */
  left(owners: readonly string[]): readonly string[] {
    return owners.filter((owner) => owner !== this.#context.connectorId);
  }

  #written(createdAtMs: number, version: number): Stamp {
    const { connectorId, syncId, nowMs } = this.#context;
    const updatedAtMs = Math.max(createdAtMs, nowMs);
    return {
      connectorId,
      syncId,
      syncedAtMs: nowMs,
      createdAtMs,
      updatedAtMs,
      lastSeenAtMs: updatedAtMs,
      deletedAtMs: null,
      version,
    };
  }
}
