/** How alike two lists of numbers are, from 0 to 1. */
import { isNumber, type Value } from '../value/value.ts';
import { asList, type CypherFunction, type FunctionTable, wrongValue } from './function.ts';

export const VECTOR_FUNCTIONS: FunctionTable = {
  'vector.similarity.cosine': similarity('cosine', (a, b) => {
    const size = Math.sqrt(product(a, a) * product(b, b));
    if (!(size > 0)) throw wrongValue('vector.similarity.cosine(): expected vectors that are not zero');
    return (1 + product(a, b) / size) / 2;
  }),
  'vector.similarity.euclidean': similarity('euclidean', (a, b) => {
    const difference = a.map((value, at) => value - (b[at] ?? 0));
    return 1 / (1 + product(difference, difference));
  }),
};

function similarity(
  kind: string,
  apply: (a: readonly number[], b: readonly number[]) => number,
): CypherFunction {
  const name = `vector.similarity.${kind}`;
  return {
    min: 2,
    max: 2,
    apply: ([first, second]) => {
      const [a, b] = [numbersOf(name, first), numbersOf(name, second)];
      if (a.length === b.length && a.length > 0) return apply(a, b);
      throw wrongValue(`${name}(): expected two lists of the same length, got ${a.length} and ${b.length}`);
    },
  };
}

function numbersOf(name: string, list: Value | undefined): readonly number[] {
  return asList(name, list).map((value) => {
    if (isNumber(value) && Number.isFinite(Number(value))) return Number(value);
    throw wrongValue(`${name}(): expected lists of finite numbers`);
  });
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}
