/** Of the page at `/`. */
export const PAGE_STYLE = '';
