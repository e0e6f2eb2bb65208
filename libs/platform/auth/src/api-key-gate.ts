import type { Secret } from '#platform/foundation';

/** `always`, or the name of a group of routes that the settings may open. */
export type PublicMark = string;

export interface GateOptions {
  /** Undefined is open mode. */
  readonly apiKey: Secret | undefined;
  /** Marks opened by the settings, in addition to `always`. */
  readonly openMarks?: readonly PublicMark[];
}

const SCHEME = /^bearer +(?=[^ ])/i;

/** Checks the API key of a request. */
export class ApiKeyGate {
  readonly #apiKey: Secret | undefined;
  readonly #openMarks: ReadonlySet<PublicMark>;

  constructor({ apiKey, openMarks = [] }: GateOptions) {
    this.#apiKey = apiKey;
    this.#openMarks = new Set(['always', ...openMarks]);
  }

  get isOpen(): boolean {
    return this.#apiKey === undefined;
  }

  /** @param authorization value of the header; @param mark mark of the route, if any. */
  admits(authorization: string | undefined, mark: PublicMark | undefined): boolean {
    if (this.#apiKey === undefined) return true;
    if (mark !== undefined && this.#openMarks.has(mark)) return true;
    const scheme = SCHEME.exec(authorization ?? '')?.[0];
    return scheme !== undefined && this.admitsKey((authorization ?? '').slice(scheme.length));
  }

  /** Checks a key that does not arrive in a header. */
  admitsKey(key: string | undefined): boolean {
    if (this.#apiKey === undefined) return true;
    return key !== undefined && this.#apiKey.equals(key);
  }
}
