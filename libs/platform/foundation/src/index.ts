export {
  assert,
  DomainError,
  type ErrorBody,
  errorBody,
  errorCodeOf,
  InvariantViolation,
  isShown,
  unreachable,
} from './errors.ts';
export { afterNextRead } from './after-next-read.ts';
export { chunks } from './chunks.ts';
export { Clock, pause, systemClock } from './clock.ts';
export { countedText } from './counted-text.ts';
export { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.ts';
export { type HangUp, StopSignal, stopSignal } from './stop-signal.ts';
export { isLoopback, LISTEN_BACKLOG } from './listening.ts';
export { momentMs } from './moment.ts';
export { isOneOf } from './one-of.ts';
export { nearestName, nearestNames } from './nearest-name.ts';
export { Resources } from './resources.ts';
export { redactedUrl, Secret, urlSecrets, withoutSecrets } from './secret.ts';
export { SharedSlabs } from './shared-slabs.ts';
export { type Soon, whenThere } from './soon.ts';
export { sortedInSteps } from './sorted-in-steps.ts';
export { completed, inTurns, type Steps } from './steps.ts';
export { Fifo, Turns } from './queue.ts';
export { installedPath, VERSION } from './version.ts';
export { type WideKey, WideMap } from './wide-map.ts';
export { MicroClock } from './clock.ts';
export { findRepeatedName, repetitionText } from './json/distinct-names.ts';
export { parseExactJson } from './json/exact-json.ts';
export { JSON_DEPTH_MAX, parseJsonBytes, parseJsonInSteps } from './json/json-bytes.ts';
export { readLines } from './lines.ts';
export { seededRandom } from './seeded-random.ts';
export { lineOfInvalidByte, utf8Text } from './utf8.ts';
