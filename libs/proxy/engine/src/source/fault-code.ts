/** What names a failure of the system or of TLS: its code, or else what it says. */
export function faultCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'message' in error ? String(error.message) : 'unknown';
}
