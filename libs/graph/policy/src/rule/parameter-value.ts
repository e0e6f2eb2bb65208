import type { ParameterType, ParameterValue } from './rule.ts';

/** Whether a parameter of this type may have the value. */
export function isParameterValue(value: unknown, type: ParameterType): value is ParameterValue {
  if (type !== 'list') return typeof value === type && (type !== 'number' || Number.isFinite(value));
  return Array.isArray(value) && value.every(isScalar);
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}
