import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, type Secret, systemClock } from '#platform/foundation';
import { type Caller, SINGLE_KEY } from './caller.ts';
import { type KeysDocument, type NamedKey, untilMs } from './keys-document.ts';
import type { DataScope, Permission, Role } from './permission.ts';

/** Begins each secret that the program makes, so that scanners find one that has leaked. */
const SECRET_PREFIX = 'plx_';
const SECRET_BYTES = 32;

/** A new secret, and its hash. */
export function newSecret(): { readonly secret: string; readonly sha256: string } {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, sha256: sha256Of(secret) };
}

function sha256Of(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

const NO_ROLE: Role = { permissions: [] };

/** The holder of a named key. */
class KeyHolder implements Caller {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly source: string | undefined;
  readonly scope: DataScope | undefined;
  readonly sha256: string;
  readonly endsMs: number;

  constructor({ name, source, sha256, until }: NamedKey, { permissions, scope }: Role) {
    this.name = name;
    this.permissions = new Set(permissions);
    this.source = source;
    this.scope = scope;
    this.sha256 = sha256;
    this.endsMs = until === undefined ? Infinity : (untilMs(until) ?? -Infinity);
  }

  isValidAt(nowMs: number): boolean {
    return nowMs < this.endsMs;
  }
}

interface Known {
  readonly mac: Buffer;
  readonly holder: KeyHolder;
}

export interface KeyringOptions {
  /** The single key that may do everything, if there is one. */
  readonly apiKey?: Secret | undefined;
  /** The keys of a file, if there is one; it may be replaced by {@link Keyring.use}. */
  readonly named?: KeysDocument | undefined;
  readonly clock?: Clock;
}

/**
 * All keys of the program: who shows one is who its name says. A secret is looked up by a hash under a key of
 * this process, so that nobody can choose which entries it is compared with, and compared in constant time.
 */
export class Keyring {
  readonly #apiKey: Secret | undefined;
  readonly #clock: Clock;
  readonly #pepper = randomBytes(SECRET_BYTES);
  readonly #usedMs = new Map<string, number>();
  #byMac: ReadonlyMap<string, Known> | undefined;
  #byName: ReadonlyMap<string, KeyHolder> = new Map();
  #roles: KeysDocument['roles'] | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor({ apiKey, named, clock = systemClock }: KeyringOptions) {
    this.#apiKey = apiKey;
    this.#clock = clock;
    if (named !== undefined) this.use(named);
  }

  /** Whether no key is configured: every caller may do everything. A keys file without keys admits nobody. */
  get isOpen(): boolean {
    return this.#apiKey === undefined && this.#byMac === undefined;
  }

  /** The last use of each named key since the start, in milliseconds since 1970. */
  get usedMs(): ReadonlyMap<string, number> {
    return this.#usedMs;
  }

  /** The roles of the program and of the file; undefined without a file. */
  get roles(): KeysDocument['roles'] | undefined {
    return this.#roles;
  }

  /** Replaces all named keys. */
  use({ keys, roles }: KeysDocument): void {
    const byMac = new Map<string, Known>();
    const byName = new Map<string, KeyHolder>();
    for (const key of keys) {
      const holder = new KeyHolder(key, roles.get(key.role) ?? NO_ROLE);
      const mac = this.#macOf(key.sha256);
      byMac.set(mac.toString('hex'), { mac, holder });
      byName.set(key.name, holder);
    }
    this.#byMac = byMac;
    this.#byName = byName;
    this.#roles = roles;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever the named keys have been replaced. */
  onUse(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Undefined for a secret of no key, and for one of a key that has ended. */
  find(secret: string): Caller | undefined {
    if (this.#apiKey?.equals(secret) === true) return SINGLE_KEY;
    if (this.#byMac === undefined) return undefined;
    const mac = this.#macOf(sha256Of(secret));
    const known = this.#byMac.get(mac.toString('hex'));
    const nowMs = this.#clock.nowMs();
    if (known === undefined || !timingSafeEqual(known.mac, mac) || !known.holder.isValidAt(nowMs))
      return undefined;
    this.#usedMs.set(known.holder.name, nowMs);
    return known.holder;
  }

  /**
   * What a caller of an open connection is by now: with the permissions that its key has now; undefined when
   * its key has ended, was removed, or has another secret.
   */
  current(caller: Caller): Caller | undefined {
    if (!(caller instanceof KeyHolder)) return caller.now === undefined ? caller : caller.now();
    const now = this.#byName.get(caller.name);
    return now?.sha256 === caller.sha256 && now.isValidAt(this.#clock.nowMs()) ? now : undefined;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  #macOf(sha256: string): Buffer {
    return createHmac('sha256', this.#pepper).update(sha256, 'utf8').digest();
  }
}
