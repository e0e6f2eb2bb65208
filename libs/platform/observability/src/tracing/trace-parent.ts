/** W3C Trace Context, level 1 and 2: the `traceparent` header. */

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const VERSION_00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** A later version may append fields after the flags; they are ignored. */
const LATER = /^(?!ff|00)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const LENGTH_MAX = 512;
const ALL_ZERO = /^0+$/;
const SAMPLED = 1;

/** Undefined for an invalid header: then a new trace begins. */
export function parseTraceParent(text: string | undefined): TraceParent | undefined {
  if (text === undefined || text.length > LENGTH_MAX) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = VERSION_00.exec(text) ?? LATER.exec(text) ?? [];
  if (traceId === '' || ALL_ZERO.test(traceId) || ALL_ZERO.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
}
