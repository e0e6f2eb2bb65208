import type { Log } from '#platform/observability';

/** A logger that keeps its lines. */
export interface LogLines extends Log {
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** The fields of each injected fault with this name. */
  faults(name: string): Readonly<Record<string, unknown>>[];
}

export function logLines(): LogLines {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const keep = (fields: object): void => {
    lines.push({ ...fields });
  };
  return {
    lines,
    faults: (name) => lines.filter(({ fault }) => fault === name),
    debug: keep,
    info: keep,
    warn: keep,
    error: keep,
    fatal: keep,
  };
}
