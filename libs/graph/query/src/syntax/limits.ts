/** Limits of a query's text. A text above a limit is rejected with PQL_SYNTAX before the run. */

/** Maximum length of a query, in bytes of UTF-8. */
export const QUERY_BYTES_MAX = 64 * 1024;

/** Maximum nesting of parentheses, NOT and hop groups together. */
export const NESTING_MAX = 64;

/** Maximum bound of a repeated hop that a query may state, `{1..100}`. An open upper end has no bound. */
export const HOPS_MAX = 100;

/** Maximum offset of NOW: the range of a Date. */
export const NOW_OFFSET_MS_MAX = 8.64e15;
