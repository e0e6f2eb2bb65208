import type { Secret } from '#platform/foundation';
import { ANYONE, type Caller } from './caller.ts';
import { Keyring } from './keyring.ts';

/** `always`, or the name of a group of routes that the settings may open. */
export type PublicMark = string;

export interface GateOptions {
  /** The single key; without it and without `keys`, the gate is open. */
  readonly apiKey: Secret | undefined;
  /** All keys, the single one included. */
  readonly keys?: Keyring | undefined;
  /** Marks opened by the settings, in addition to `always`. */
  readonly openMarks?: readonly PublicMark[];
  /** Whether there are other credentials than keys, so that the gate is closed without any key. */
  readonly hasOthers?: boolean;
}

const SCHEME = /^bearer +(?=[^ ])/i;

/** The credential of a header; undefined where it has none of this scheme. */
export function bearerOf(authorization = ''): string | undefined {
  const scheme = SCHEME.exec(authorization)?.[0];
  return scheme === undefined ? undefined : authorization.slice(scheme.length);
}

/** Checks the key of a request. */
export class ApiKeyGate {
  readonly #keys: Keyring;
  readonly #openMarks: ReadonlySet<PublicMark>;
  readonly #hasOthers: boolean;

  constructor({ apiKey, keys = new Keyring({ apiKey }), openMarks = [], hasOthers = false }: GateOptions) {
    this.#keys = keys;
    this.#hasOthers = hasOthers;
    this.#openMarks = new Set(['always', ...openMarks]);
  }

  get isOpen(): boolean {
    return this.#keys.isOpen && !this.#hasOthers;
  }

  /** Whether a route with this mark needs no key. */
  opens(mark: PublicMark | undefined): boolean {
    return this.isOpen || (mark !== undefined && this.#openMarks.has(mark));
  }

  /** @param authorization value of the header; @param mark mark of the route, if any. */
  admits(authorization: string | undefined, mark: PublicMark | undefined): boolean {
    return this.opens(mark) || this.callerOf(authorization) !== undefined;
  }

  /** Who sends a request with this header; undefined for nobody that is known. */
  callerOf(authorization: string | undefined): Caller | undefined {
    return this.callerOfKey(bearerOf(authorization));
  }

  /** The same for a key that does not arrive in a header. */
  callerOfKey(key: string | undefined): Caller | undefined {
    if (this.isOpen) return ANYONE;
    return key === undefined ? undefined : this.#keys.find(key);
  }

  /** What a caller of an open connection is by now; undefined when its key is no longer valid. */
  current(caller: Caller): Caller | undefined {
    return this.#keys.current(caller);
  }
}
