import { InvalidArgumentError } from 'commander';
import { SEVERITIES, type Severity } from '#graph/policy';
import type { FailOn } from './evaluation-report.ts';

const STATUS_BY_WORD = { fail: 'Fail', nodata: 'NoData', error: 'Error' } as const;
type Word = keyof typeof STATUS_BY_WORD;

/** What `--fail-on` may name. */
export const FAIL_ON_WORDS: readonly string[] = [...Object.keys(STATUS_BY_WORD), ...SEVERITIES];

/** Without statuses, a rule that could not be evaluated counts as well as one that failed. */
export const DEFAULT_FAIL_ON: FailOn = { severity: 'info', statuses: ['Fail', 'Error'] };

/** `high`, `fail,nodata` or `high,error`: a severity, statuses, or both, between commas. */
export function parseFailOn(text: string): FailOn {
  const words = text.split(',').map((word) => word.trim());
  const severities = words.filter(isSeverity);
  const statuses = words.filter(isStatus).map((word) => STATUS_BY_WORD[word]);
  if (severities.length + statuses.length < words.length || severities.length > 1) {
    const known = FAIL_ON_WORDS.join(', ');
    throw new InvalidArgumentError(`expected one severity, statuses, or both between commas: ${known}`);
  }
  return {
    severity: severities[0] ?? DEFAULT_FAIL_ON.severity,
    statuses: statuses.length > 0 ? statuses : DEFAULT_FAIL_ON.statuses,
  };
}

function isSeverity(word: string): word is Severity {
  return SEVERITIES.some((severity) => severity === word);
}

function isStatus(word: string): word is Word {
  return Object.hasOwn(STATUS_BY_WORD, word);
}
