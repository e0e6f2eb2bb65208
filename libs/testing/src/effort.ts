/**
 * How much a test tries: `full` for `npm run check` and tests that are named, `short` for a whole `npm test`,
 * which is to end while somebody waits.
 */
export function effort<T>(full: T, short: T): T {
  return process.env['PLEXUS_TEST_EFFORT'] === 'short' ? short : full;
}
