/** Mathematical functions, and those of time and chance. */
import { randomUUID } from 'node:crypto';
import { checked } from '../value/arithmetic.ts';
import { type Fraction, fractionOf } from '../value/fraction.ts';
import type { Value } from '../value/value.ts';
import {
  asFloat,
  asInteger,
  asText,
  type CypherFunction,
  type FunctionTable,
  unary,
  wrongValue,
} from './function.ts';

function float(name: string, apply: (value: number) => number): CypherFunction {
  return unary((value) => apply(asFloat(name, value)));
}

function constant(value: number): CypherFunction {
  return { min: 0, max: 0, apply: () => value };
}

export const NUMBER_FUNCTIONS: FunctionTable = {
  abs: unary((value) => {
    if (typeof value === 'bigint') return checked(value < 0n ? -value : value);
    return Math.abs(asFloat('abs', value));
  }),
  sign: unary((value) => BigInt(Math.sign(asFloat('sign', value)))),
  ceil: float('ceil', Math.ceil),
  floor: float('floor', Math.floor),
  round: { min: 1, max: 3, apply: round },
  sqrt: float('sqrt', Math.sqrt),
  exp: float('exp', Math.exp),
  log: float('log', Math.log),
  log10: float('log10', Math.log10),
  sin: float('sin', Math.sin),
  cos: float('cos', Math.cos),
  tan: float('tan', Math.tan),
  cot: float('cot', (value) => 1 / Math.tan(value)),
  coth: float('coth', (value) => (value === 0 ? NaN : 1 / Math.tanh(value))),
  asin: float('asin', Math.asin),
  acos: float('acos', Math.acos),
  atan: float('atan', Math.atan),
  atan2: { min: 2, max: 2, apply: ([y, x]) => Math.atan2(asFloat('atan2', y), asFloat('atan2', x)) },
  sinh: float('sinh', Math.sinh),
  cosh: float('cosh', Math.cosh),
  tanh: float('tanh', Math.tanh),
  haversin: float('haversin', (value) => (1 - Math.cos(value)) / 2),
  degrees: float('degrees', (value) => (value * 180) / Math.PI),
  radians: float('radians', (value) => (value * Math.PI) / 180),
  isNaN: unary((value) => Number.isNaN(asFloat('isNaN', value))),
  pi: constant(Math.PI),
  e: constant(Math.E),
  rand: { min: 0, max: 0, apply: (_, run) => run.random() },
  randomUUID: { min: 0, max: 0, apply: (_, run) => (run.varies(), randomUUID()) },
  timestamp: { min: 0, max: 0, apply: (_, { nowMs }) => BigInt(Math.trunc(nowMs)) },
};

/** Digits of a float behind the point: more change nothing. */
const PLACES_MAX = 400;

/** By the decimal text of the number. Without a number of places halves go up, else away from zero. */
function round([value, places, mode]: readonly Value[]): Value {
  const number = asFloat('round', value);
  if (!Number.isFinite(number)) return number;
  if (places === undefined) return Math.floor(number + 0.5);
  const digits = asInteger('round', places);
  if (digits < 0 || digits > PLACES_MAX) {
    throw wrongValue(`round(): expected a number of places from 0 to ${PLACES_MAX}, got ${digits}`);
  }
  const name = mode === undefined ? 'HALF_UP' : asText('round', mode).toUpperCase();
  const rounded = roundedFraction(fractionOf(number), 10n ** BigInt(digits), name);
  const sign = rounded < 0n ? '-' : '';
  const text = String(rounded < 0n ? -rounded : rounded).padStart(digits + 1, '0');
  return Number(`${sign}${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`);
}

/** Whether the size of a number grows to the next step, from twice its rest in steps. */
const ROUNDING: Readonly<Record<string, (rest: Rest) => boolean>> = {
  UP: ({ twice }) => twice > 0n,
  DOWN: () => false,
  CEILING: ({ twice, isNegative }) => twice > 0n && !isNegative,
  FLOOR: ({ twice, isNegative }) => twice > 0n && isNegative,
  HALF_UP: ({ twice, step }) => twice >= step,
  HALF_DOWN: ({ twice, step }) => twice > step,
  HALF_EVEN: ({ twice, step, isOdd }) => twice > step || (twice === step && isOdd),
};

interface Rest {
  readonly twice: bigint;
  readonly step: bigint;
  readonly isNegative: boolean;
  readonly isOdd: boolean;
}

function roundedFraction({ over, under }: Fraction, scale: bigint, mode: string): bigint {
  const grows = Object.hasOwn(ROUNDING, mode) ? ROUNDING[mode] : undefined;
  if (grows === undefined) {
    throw wrongValue(`round(): expected ${Object.keys(ROUNDING).join(', ')}, got '${mode.slice(0, 20)}'`);
  }
  const isNegative = over < 0n;
  const size = (isNegative ? -over : over) * scale;
  const whole = size / under;
  const rest = { twice: (size % under) * 2n, step: under, isNegative, isOdd: whole % 2n === 1n };
  const rounded = grows(rest) ? whole + 1n : whole;
  return isNegative ? -rounded : rounded;
}
