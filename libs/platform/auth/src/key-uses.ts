import { type Disk, DiskError } from '#platform/disk';
import { errorCodeOf } from '#platform/foundation';
import type { EventLog } from './event-log.ts';
import type { Keyring } from './keyring.ts';

/** The file beside a keys file: the last use of each key, by its name, as a time in UTC. */
export function usesPath(keysPath: string): string {
  return `${keysPath}.used.json`;
}

/** The last uses that are kept; none where there is no readable file of them. */
export async function readUses(disk: Disk, keysPath: string): Promise<ReadonlyMap<string, string>> {
  const uses = await disk.readJsonIfSound(usesPath(keysPath));
  if (typeof uses !== 'object' || uses === null) return new Map();
  return new Map(Object.entries(uses).filter((use): use is [string, string] => typeof use[1] === 'string'));
}

/** Writes the last uses of keys beside their file, now and then: never for each request. */
export class KeyUses {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #keyring: Keyring;
  /** The newest use that is written. */
  #keptMs = 0;
  #hasFailed = false;

  constructor(disk: Disk, keysPath: string, keyring: Keyring) {
    this.#disk = disk;
    this.#path = keysPath;
    this.#keyring = keyring;
  }

  /** A directory that cannot be written is reported once: the keys themselves work. */
  async keep(log: EventLog): Promise<void> {
    const newestMs = Math.max(0, ...this.#keyring.usedMs.values());
    if (newestMs <= this.#keptMs) return;
    try {
      await this.#write();
      this.#keptMs = newestMs;
      this.#hasFailed = false;
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      if (!this.#hasFailed)
        log.warn(
          { event: 'keys.uses_not_kept', reason: errorCodeOf(error) },
          'last uses of keys cannot be written',
        );
      this.#hasFailed = true;
    }
  }

  /** Other programs may write the same file: of each key the later time stays. */
  async #write(): Promise<void> {
    const uses = new Map(await readUses(this.#disk, this.#path));
    for (const [name, ms] of this.#keyring.usedMs) {
      const time = new Date(ms).toISOString();
      if ((uses.get(name) ?? '') < time) uses.set(name, time);
    }
    const path = usesPath(this.#path);
    const next = `${path}.${process.pid}`;
    await this.#disk.remove(next);
    await this.#disk.writeNew(next, Buffer.from(`${JSON.stringify(Object.fromEntries(uses))}\n`));
    await this.#disk.rename(next, path);
  }
}
