/**
 * The extent of a test: `full` for `npm run check` and for tests selected by name, `short` for a whole `npm
 * test`, which has to end soon.
 */
export function effort<T>(full: T, short: T): T {
  return process.env['PLEXUS_TEST_EFFORT'] === 'short' ? short : full;
}
