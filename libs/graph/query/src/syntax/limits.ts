/** Limits on a query's text. Text above a limit is rejected with PQL_SYNTAX before the run. */

/** Longest query, in bytes of UTF-8. */
export const QUERY_BYTES_MAX = 64 * 1024;

/** Deepest nesting of parentheses, NOT and hop groups, counted together. */
export const NESTING_MAX = 64;

/** Most hops of one repeated hop, `{1..10}`; also what an open upper end means. */
export const HOPS_MAX = 10;

/** Furthest NOW may be moved: the range of a Date. */
export const NOW_OFFSET_MS_MAX = 8.64e15;
