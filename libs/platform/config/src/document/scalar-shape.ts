import { type Bounds, refuse, type Shape } from './shape.ts';

/** A text that matches the pattern, of at most 1,024 characters; `expects` follows "expected". */
export function string(expects: string, pattern = /^[^\0]{1,1024}$/u): Shape<string> {
  return {
    expects,
    read: (value, at) => (typeof value === 'string' && pattern.test(value) ? value : refuse(at, expects)),
  };
}

/** Any text. */
export function text(): Shape<string> {
  const expects = 'a text';
  return { expects, read: (value, at) => (typeof value === 'string' ? value : refuse(at, expects)) };
}

/** A whole number from `min` to `max`, both included. */
export function integer({ min, max }: Bounds): Shape<number> {
  const expects = `a whole number from ${min} to ${max}`;
  return {
    expects,
    read: (value, at) =>
      Number.isSafeInteger(value) && isWithin(value, { min, max }) ? value : refuse(at, expects),
  };
}

/** A finite number from `min` to `max`, both included. */
export function number({ min, max }: Bounds): Shape<number> {
  const expects = `a number from ${min} to ${max}`;
  return { expects, read: (value, at) => (isWithin(value, { min, max }) ? value : refuse(at, expects)) };
}

export function boolean(): Shape<boolean> {
  const expects = 'true or false';
  return { expects, read: (value, at) => (typeof value === 'boolean' ? value : refuse(at, expects)) };
}

/** One of a few literals. */
export function oneOf<const W extends string>(words: readonly W[]): Shape<W> {
  const expects = words.map((one) => `\`${one}\``).join(' or ');
  return { expects, read: (value, at) => words.find((one) => one === value) ?? refuse(at, expects) };
}

/** A value of the first shape, or of the second; both are scalars. */
export function union<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  const expects = `${first.expects} or ${second.expects}`;
  return {
    expects,
    read: (value, at) => {
      const apart = { path: at.path, faults: [] };
      const one = first.read(value, apart);
      if (one !== undefined) return one;
      const other = second.read(value, apart);
      if (other === undefined) refuse(at, expects);
      return other;
    },
  };
}

/** Null, or a value of the shape. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    ...shape,
    expects: `${shape.expects} or null`,
    read: (value, at) => (value === null ? null : shape.read(value, at)),
  };
}

function isWithin(value: unknown, { min, max }: Bounds): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}
