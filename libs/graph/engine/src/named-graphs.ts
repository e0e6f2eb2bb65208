/**
 * Graphs beside that of the service, each with a store of its own in a directory of its name. No other
 * process opens these while the service runs.
 */
import { join } from 'node:path';
import { storedEpoch, type StorageSettings } from '#graph/storage';
import type { Disk } from '#platform/disk';
import { type Clock, DomainError } from '#platform/foundation';
import type { EngineSettings } from './engine-settings.ts';
import { Graph } from './graph.ts';
import type { ChangeAudit, GraphLog } from './store/graph-options.ts';

/** Begins the name of the directory of one that is removed; no graph has such a name. */
const REMOVED = '.removed-';

export interface NamedGraphsParts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly log: GraphLog;
  readonly storage: Pick<StorageSettings, 'dataDir' | 'openStore'>;
  readonly engine: Pick<EngineSettings, 'retention' | 'history' | 'changeAudit' | 'documentKinds'>;
}

export class NamedGraphs {
  readonly #parts: NamedGraphsParts;

  constructor(parts: NamedGraphsParts) {
    this.#parts = parts;
  }

  /** The names of all that there are. Finishes what a removal has begun. */
  async names(): Promise<readonly string[]> {
    const { disk, storage } = this.#parts;
    if (storage.openStore !== undefined) return [];
    const names = await disk.directoriesIfThere(this.#directory);
    const isRemoved = (name: string): boolean => name.startsWith(REMOVED);
    for (const name of names.filter(isRemoved)) await disk.removeDirectory(join(this.#directory, name));
    return names.filter((name) => !isRemoved(name));
  }

  /** The epoch of one that is closed; undefined if that is only known once it is open. */
  epochOf(name: string): Promise<string | undefined> {
    return storedEpoch(this.#parts.disk, join(this.#directory, name));
  }

  /** Throws what {@link Graph.open} throws, and NOT_SUPPORTED where the store of the service is shared. */
  open(name: string): Promise<Graph> {
    const { disk, clock, log, engine } = this.#parts;
    return Graph.open({
      directory: join(this.#directory, name),
      disk,
      clock,
      log,
      retentionMs: engine.retention,
      historyMs: engine.history,
      documentKinds: engine.documentKinds,
      audit: engine.changeAudit && auditOf(engine.changeAudit, `${targetOf(name)} `),
    });
  }

  /** Makes an empty one, durably, and returns it open; nothing is left of one that cannot be opened. */
  async make(name: string): Promise<Graph> {
    const directory = join(this.#directory, name);
    this.#parts.engine.changeAudit?.change({ target: targetOf(name) });
    try {
      return await this.open(name);
    } catch (error) {
      await this.#parts.disk.removeDirectory(directory).catch(() => undefined);
      throw error;
    }
  }

  /** Removes one that is closed. Once its name is gone, what a kill leaves of it goes at the next start. */
  async remove(name: string): Promise<void> {
    const { disk, engine } = this.#parts;
    const removed = join(this.#directory, REMOVED + name);
    engine.changeAudit?.change({ target: targetOf(name) });
    await disk.removeDirectory(removed);
    await disk.rename(join(this.#directory, name), removed);
    await disk.syncDirectory(this.#directory);
    await disk.removeDirectory(removed);
  }

  get #directory(): string {
    const { dataDir, openStore } = this.#parts.storage;
    if (openStore === undefined) return join(dataDir, 'databases');
    throw new DomainError('NOT_SUPPORTED', 'a shared store has one database');
  }
}

/** In the audit trail. */
function targetOf(name: string): string {
  return `database/${name}`;
}

function auditOf(audit: ChangeAudit, prefix: string): ChangeAudit {
  return {
    change: (change) => {
      audit.change({ ...change, target: prefix + change.target });
    },
    failed: (change) => {
      audit.failed({ ...change, target: prefix + change.target });
    },
  };
}
