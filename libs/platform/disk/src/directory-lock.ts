/**
 * Exclusive lock of a data directory. The lock is a file `lock-<n>` with the holder's identity:
 *
 * 1. If the process of an existing lock runs, fail and name its pid. Any other lock is stale: the process has
 *    ended, its pid belongs to another process now, or the machine was rebooted.
 * 2. Create `lock-<n+1>`, where n is the greatest existing number. The file appears with its content or not
 *    at all, and only one of several processes creates it; the others start again, and find the lock of a
 *    running process.
 * 3. List the directory again: a process that was slow at step 2 may hold a lock of another number. A process
 *    that finds another live lock gives up.
 * 4. Remove the stale locks.
 *
 * If a file were replaced in place, two processes could take over the same stale lock, one after the other.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DomainError } from '#platform/foundation';
import { isMissingFile } from './disk-error.ts';
import type { Disk, ProcessIdentity } from './disk.port.ts';

/** Receives the removal of a stale lock. */
export interface LockLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

interface LockContent extends ProcessIdentity {
  /** Distinguishes the locks of one process. */
  readonly token: string;
}

interface FoundLock {
  readonly name: string;
  readonly number: number;
  readonly content: LockContent | undefined;
  readonly isLive: boolean;
}

/** Locks that this process holds: a pid cannot tell whether a lock of the own process is stale. */
const heldTokens = new Set<string>();

export class DirectoryLock {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #token: string;

  private constructor(disk: Disk, path: string, token: string) {
    this.#disk = disk;
    this.#path = path;
    this.#token = token;
  }

  /** Rejects with STORE_LOCKED while another process, or this one, holds the directory. */
  static async acquire(disk: Disk, directory: string, log?: LockLog): Promise<DirectoryLock> {
    const token = randomUUID();
    heldTokens.add(token);
    try {
      const name = await claim(disk, directory, token);
      try {
        const others = (await findLocks(disk, directory)).filter((lock) => lock.name !== name);
        refuse(others);
        for (const stale of others) await removeStale(disk, directory, stale, log);
      } catch (error) {
        await disk.remove(join(directory, name));
        throw error;
      }
      return new DirectoryLock(disk, join(directory, name), token);
    } catch (error) {
      heldTokens.delete(token);
      throw error;
    }
  }

  async release(): Promise<void> {
    heldTokens.delete(this.#token);
    await this.#disk.remove(this.#path);
  }
}

/** Creates a lock file with the next number; returns its name. */
async function claim(disk: Disk, directory: string, token: string): Promise<string> {
  const content: LockContent = { ...(await disk.ownIdentity()), token };
  const bytes = new TextEncoder().encode(encodeLock(content));
  for (;;) {
    const found = await findLocks(disk, directory);
    refuse(found);
    const name = `lock-${Math.max(0, ...found.map((lock) => lock.number)) + 1}`;
    if (await disk.createExclusive(join(directory, name), bytes)) return name;
  }
}

function refuse(found: readonly FoundLock[]): void {
  const live = found.find((lock) => lock.isLive);
  if (live === undefined) return;
  throw new DomainError('STORE_LOCKED', `the data directory is held by process ${live.content?.pid}`, {
    details: { pid: live.content?.pid },
  });
}

async function removeStale(disk: Disk, directory: string, lock: FoundLock, log?: LockLog): Promise<void> {
  await disk.remove(join(directory, lock.name));
  const fields = { event: 'storage.lock_taken_over', file: lock.name, former_pid: lock.content?.pid };
  log?.warn(fields, 'stale lock taken over');
}

async function findLocks(disk: Disk, directory: string): Promise<FoundLock[]> {
  const own = await disk.ownIdentity();
  const locks: FoundLock[] = [];
  for (const name of await disk.list(directory)) {
    const match = /^lock-(\d+)$/.exec(name);
    if (match === null) continue;
    const text = await readIfThere(disk, join(directory, name));
    if (text === undefined) continue;
    const content = decodeLock(text);
    locks.push({ name, number: Number(match[1]), content, isLive: await isLive(disk, content, own) });
  }
  return locks;
}

async function readIfThere(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return await disk.readLooseText(path);
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

async function isLive(disk: Disk, content: LockContent | undefined, own: ProcessIdentity): Promise<boolean> {
  if (content === undefined) return false;
  const isOwnPid = content.pid === own.pid && content.bootId === own.bootId;
  return isOwnPid ? heldTokens.has(content.token) : disk.isRunning(content);
}

function encodeLock(content: LockContent): string {
  const { pid, startTime, bootId, token } = content;
  return `${JSON.stringify({ pid, start_time: startTime ?? null, boot_id: bootId ?? null, token })}\n`;
}

/** Undefined when a power loss left no content: such a lock has no holder. */
function decodeLock(text: string): LockContent | undefined {
  const match =
    /^\{"pid":(\d+),"start_time":(null|"[^"]*"),"boot_id":(null|"[^"]*"),"token":"([^"]*)"\}\n$/.exec(text);
  if (match === null) return undefined;
  const [, pid, startTime = 'null', bootId = 'null', token = ''] = match;
  return { pid: Number(pid), startTime: unquoted(startTime), bootId: unquoted(bootId), token };
}

function unquoted(text: string): string | undefined {
  return text === 'null' ? undefined : text.slice(1, -1);
}
