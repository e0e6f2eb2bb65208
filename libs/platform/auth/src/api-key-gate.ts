import type { Secret } from '#platform/foundation';

/** `always`, or the name of something that the settings may open. */
export type PublicMark = string;

export interface GateOptions {
  /** Undefined is open mode. */
  readonly apiKey: Secret | undefined;
  /** Marks that the settings opened, beside `always`. */
  readonly openMarks?: readonly PublicMark[];
}

const SCHEME = /^bearer +(?=[^ ])/i;

/** Tells who may pass. */
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

  /** @param authorization the header's value, as it came; @param mark of the route, if it has one. */
  admits(authorization: string | undefined, mark: PublicMark | undefined): boolean {
    if (this.#apiKey === undefined) return true;
    if (mark !== undefined && this.#openMarks.has(mark)) return true;
    const scheme = SCHEME.exec(authorization ?? '')?.[0];
    return scheme !== undefined && this.#apiKey.equals((authorization ?? '').slice(scheme.length));
  }
}
