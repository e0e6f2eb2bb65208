export const DIFF_REPLY_EXAMPLES = {};
