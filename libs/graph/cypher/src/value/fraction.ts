/** Exact fractions of whole numbers, for what floats would round. */
import { runtimeFault } from '../syntax/fault.ts';

export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

export const ZERO: Fraction = { over: 0n, under: 1n };
/** Beyond so many digits a number is 0 or too large for what fractions are used for. */
const EXPONENT_MAX = 400;

/** The decimal that the number's text shows: 0.1 is one tenth. Refuses NaN and ±Infinity. */
export function fractionOf(value: number | bigint): Fraction {
  if (typeof value === 'bigint') return { over: value, under: 1n };
  const [, mantissa = '0', exponentText = '0'] = /^(.*?)(?:e(.*))?$/.exec(String(value)) ?? [];
  const exponent = Number(exponentText);
  if (!Number.isFinite(value) || Math.abs(exponent) > EXPONENT_MAX) {
    const message = `expected a finite number, got ${value}`;
    throw runtimeFault('InvalidArgumentValue', 'Neo.ClientError.Statement.ArgumentError', message);
  }
  const { over, under } = decimalOf(mantissa);
  return exponent < 0
    ? { over, under: under * 10n ** BigInt(-exponent) }
    : { over: over * 10n ** BigInt(exponent), under };
}

/** Reads a decimal number such as `-12.5` or `-12,5`. */
export function decimalOf(text: string): Fraction {
  const [whole = '', decimals = ''] = text.replace(',', '.').replace(/^\+/, '').split('.');
  return { over: BigInt(whole + decimals), under: 10n ** BigInt(decimals.length) };
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
}

export function times({ over, under }: Fraction, factor: bigint): Fraction {
  return { over: over * factor, under };
}
