import { DomainError } from '#platform/foundation';

const MEBIBYTE = 1_048_576;
const ANSWER_MEBIBYTES_MAX = 256;

/** The failure of an answer of so many bytes, which is in memory as a whole; undefined within the limit. */
export function answerFault(receivedBytes: number): DomainError | undefined {
  if (receivedBytes <= ANSWER_MEBIBYTES_MAX * MEBIBYTE) return undefined;
  return new DomainError('BODY_TOO_LARGE', `the answer is larger than ${ANSWER_MEBIBYTES_MAX} MiB`);
}
