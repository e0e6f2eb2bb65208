/** Where the documents of policies stand: one namespace, ids by kind. */
export const NAMESPACE = 'policy';
export const RULE_PREFIX = 'rule/';
export const FINDINGS_PREFIX = 'findings/';
export const LAST_RUN_PREFIX = 'last/';
export const EVALUATION_PREFIX = 'evaluation/';
export const SCORE_PREFIX = 'score/';
