/** Moments in addresses and requests are in UTC; fields for a time are in that of the browser. */
const MINUTE_MS = 60_000;

/** The value of a field for a time to the minute; empty without a moment, or for one that is no time. */
export function localMoment(moment: string | undefined): string {
  const at = new Date(moment ?? '');
  if (Number.isNaN(at.getTime())) return '';
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/** The moment of a field's value; undefined for an empty one. */
export function momentOfLocal(value: string): string | undefined {
  const at = new Date(value);
  return value === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** What a slider over the history reaches, in ms since the epoch. */
export interface MomentSpan {
  readonly sinceMs: number;
  readonly nowMs: number;
}

/** The last step of a slider, which is now; the first one, 0, is the beginning of the history. */
export const NOW_STEP = 1_000;

/** The place of a moment on the slider. One in the past is never at its end. */
export function stepOf(moment: string | undefined, { sinceMs, nowMs }: MomentSpan): number {
  const atMs = Date.parse(moment ?? '');
  if (Number.isNaN(atMs)) return NOW_STEP;
  const share = (atMs - sinceMs) / Math.max(1, nowMs - sinceMs);
  return Math.min(NOW_STEP - 1, Math.max(0, Math.round(share * NOW_STEP)));
}

/** The moment of a step; undefined: now. */
export function momentAt(step: number, { sinceMs, nowMs }: MomentSpan): string | undefined {
  if (step >= NOW_STEP) return undefined;
  return new Date(Math.ceil(sinceMs + ((nowMs - sinceMs) * step) / NOW_STEP)).toISOString();
}
