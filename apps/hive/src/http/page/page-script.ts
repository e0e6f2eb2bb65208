/** Of the page at `/`. */
export const PAGE_SCRIPT = `'use strict';`;
