export { assert, InvariantViolation, unreachable } from './assert.ts';
export { systemClock, type Clock } from './clock.ts';
export { DomainError, type DomainErrorOptions } from './domain-error.ts';
export { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.ts';
export { parseExactJson } from './exact-json.ts';
export { nearestName, nearestNames } from './nearest-name.ts';
export { Secret } from './secret.ts';
export { completed, type Steps } from './steps.ts';
export { listenOnce, stopSignal, type StopSignal } from './stop-signal.ts';
