/** Limits of a query's text. A text above a limit is rejected with PQL_SYNTAX before the run. */

/** Maximum length of a query, in bytes of UTF-8. */
export const QUERY_BYTES_MAX = 64 * 1024;

/** Maximum nesting of parentheses, NOT and hop groups together. */
export const NESTING_MAX = 64;

/** Maximum of a repeated hop, `{1..10}`; also the meaning of an open upper end. */
export const HOPS_MAX = 10;

/** Maximum offset of NOW: the range of a Date. */
export const NOW_OFFSET_MS_MAX = 8.64e15;
