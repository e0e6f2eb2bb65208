/** Mathematical functions, and those of time and chance. */
import { randomUUID } from 'node:crypto';
import { checked } from '../value/arithmetic.ts';
import { asFloat, asInteger, type CypherFunction, type FunctionTable, unary, wrongType } from './function.ts';

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
  round: { min: 1, max: 3, apply: ([value, places]) => round(asFloat('round', value), Number(places ?? 0n)) },
  sqrt: float('sqrt', Math.sqrt),
  exp: float('exp', Math.exp),
  log: float('log', Math.log),
  log10: float('log10', Math.log10),
  sin: float('sin', Math.sin),
  cos: float('cos', Math.cos),
  tan: float('tan', Math.tan),
  cot: float('cot', (value) => 1 / Math.tan(value)),
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
  isnan: unary((value) => Number.isNaN(asFloat('isNaN', value))),
  pi: constant(Math.PI),
  e: constant(Math.E),
  rand: { min: 0, max: 0, apply: (_, run) => run.random() },
  randomuuid: { min: 0, max: 0, apply: () => randomUUID() },
  timestamp: { min: 0, max: 0, apply: (_, { nowMs }) => BigInt(Math.trunc(nowMs)) },
};

/** Halves go up, as Neo4j rounds. */
function round(value: number, places: number): number {
  if (!Number.isInteger(places)) throw wrongType('round', 'an Integer as the number of places', places);
  const scale = 10 ** asInteger('round', BigInt(places));
  return Math.floor(value * scale + 0.5) / scale;
}
