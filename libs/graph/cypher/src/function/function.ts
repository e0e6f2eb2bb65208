import { runtimeFault } from '../syntax/fault.ts';
import type { Run } from '../graph/run.ts';
import { isList, isNumber, typeName, type Value } from '../value/value.ts';

/** A function of values; null arguments make the result null unless it says otherwise. */
export interface CypherFunction {
  readonly min: number;
  readonly max: number;
  /** Whether it is called for null arguments too. */
  readonly takesNull?: true;
  apply(args: readonly Value[], run: Run): Value;
}

export type FunctionTable = Readonly<Record<string, CypherFunction>>;

/** A function of one value that is not null. */
export function unary(apply: (value: Exclude<Value, null>, run: Run) => Value): CypherFunction {
  return { min: 1, max: 1, apply: ([value = null], run) => (value === null ? null : apply(value, run)) };
}

export function asText(name: string, value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw wrongType(name, 'a String', value ?? null);
}

export function asInteger(name: string, value: Value | undefined): number {
  if (typeof value === 'bigint') return Number(value);
  throw wrongType(name, 'an Integer', value ?? null);
}

export function asFloat(name: string, value: Value | undefined): number {
  if (isNumber(value)) return Number(value);
  throw wrongType(name, 'a number', value ?? null);
}

export function asList(name: string, value: Value | undefined): readonly Value[] {
  if (isList(value)) return value;
  throw wrongType(name, 'a List', value ?? null);
}

/** Refuses what has no room, before it is made; what a call returns is counted by the call. */
export function requireRoom(run: Run, values: number): void {
  const { made } = run;
  run.make(values);
  run.drop(made);
}

/** The characters of a text, of which each is a value. */
export function charactersOf(run: Run, text: string): readonly string[] {
  requireRoom(run, text.length);
  return Array.from(text);
}

export function wrongType(name: string, expected: string, value: Value): Error {
  const message = `${name}(): expected ${expected}, got ${typeName(value)}`;
  return runtimeFault('InvalidArgumentValue', 'Neo.ClientError.Statement.TypeError', message);
}

/** A value of the right type that the function does not take. */
export function wrongValue(message: string): Error {
  return runtimeFault('InvalidArgumentValue', 'Neo.ClientError.Statement.ArgumentError', message);
}
