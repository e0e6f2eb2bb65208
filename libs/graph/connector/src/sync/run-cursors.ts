/**
 * Where incremental steps go on. The cursors of a connector are one document in the commit of its sync: they
 * are never ahead of the graph nor behind it. A run that is not complete moves none.
 */
import { createHash } from 'node:crypto';
import type { SyncDocument } from '#graph/engine';
import type { Collection } from '../run/collect.ts';
import type { CollectionReport } from '../run/run-report.ts';
import type { ReadyConnector } from '../run/step.ts';

interface StoredCursors {
  /** A hash of the configuration: with another one, the source may be another one. */
  readonly config: string;
  readonly cursors: Readonly<Record<string, string>>;
}

/** The id of the document with the cursors of a connector. */
export function cursorsId(connectorId: string): string {
  return `cursor/${connectorId}`;
}

export interface CursorPlace {
  readonly namespace: string;
  /** The document before the run. */
  readonly stored: unknown;
  /** Whether all steps read everything. */
  readonly isAnew: boolean;
}

/** The cursors of one run. */
export class RunCursors {
  readonly #namespace: string;
  readonly #id: string;
  readonly #config: string;
  readonly #stored: StoredCursors | undefined;
  /** What the run may go on from. */
  readonly given: ReadonlyMap<string, string>;

  constructor({ id, config }: ReadyConnector, { namespace, stored, isAnew }: CursorPlace) {
    this.#namespace = namespace;
    this.#id = cursorsId(id);
    this.#config = createHash('sha256').update(JSON.stringify(config)).digest('hex');
    this.#stored = stored as StoredCursors | undefined;
    const isUsed = !isAnew && this.#stored?.config === this.#config;
    this.given = new Map(isUsed ? Object.entries(this.#stored.cursors) : []);
  }

  /** The document for the commit of the sync; undefined if nothing changes. */
  document({ status, steps }: CollectionReport, collection: Collection): SyncDocument | undefined {
    const disabled = new Set(steps.filter((step) => step.status === 'disabled').map(({ id }) => id));
    // What a disabled step has read before is deleted by the sync.
    const kept = new Map([...this.given].filter(([id]) => !disabled.has(id)));
    const next = status === 'complete' ? collection.cursors : kept;
    if (this.#stored === undefined && next.size === 0) return undefined;
    const value: StoredCursors = { config: this.#config, cursors: Object.fromEntries(next) };
    if (JSON.stringify(value) === JSON.stringify(this.#stored)) return undefined;
    return { namespace: this.#namespace, id: this.#id, value };
  }
}
