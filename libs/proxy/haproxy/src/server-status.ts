/**
 * HAProxy's word for a server's state: up, or not checked at all. `UP 1/3` is on its way down and `DOWN 1/2`
 * on its way up; DRAIN, MAINT and NOLB take no new requests, whatever their checks say.
 */
export function isHealthyStatus(status: string): boolean {
  return status === 'no check' || /^UP(?: |$)/.test(status);
}
