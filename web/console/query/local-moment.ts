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
