import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';

interface Mutation {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly nth?: number;
}

const MUTANTS = join(import.meta.dirname, '..', 'tools', 'mutants');
const { mutated, mutationsOf } = (await import(join(MUTANTS, 'mutations.mjs'))) as {
  mutated: (text: string, mutation: Mutation) => string;
  mutationsOf: (file: string, text: string) => Mutation[];
};
const { keyOf, numbered, sampled } = (await import(join(MUTANTS, 'sample.mjs'))) as {
  keyOf: (mutation: Mutation) => string;
  numbered: (mutations: readonly Mutation[]) => Mutation[];
  sampled: (mutations: readonly Mutation[], count: number, seed: string) => Mutation[];
};

const of = (text: string) => mutationsOf('a.ts', text);
const changes = (text: string) => of(text).map(({ from, to }) => `${from} → ${to}`);
const inFunction = (body: string) => `function f(a, b) { ${body} }`;

describe('mutations', () => {
  it.each([
    ['a < b', ['< → <=']],
    ['a === b', ['=== → !==']],
    ['a && !b', ['&& → ||', '!b → b']],
    ['a + b', ['+ → -']],
    ['a?.b', ['?. → .']],
    ['a?.[b]', ['?. → ']],
    ['a ? b : a', ['a → true', 'a → false']],
    ['a.filter(b)', ['a.filter(b) → a']],
    ['a.some(b)', ['some → every']],
    ['[a]', ['[a] → []']],
    ['7', ['7 → 6']],
    ['0', ['0 → 1']],
    ["'x'", ["'x' → ''"]],
    ['true', ['true → false']],
  ])('of `return %s` are %j', (expression, expected) => {
    expect(changes(inFunction(`return ${expression};`))).toEqual(expected);
  });

  it.each([
    ['a(b);', ['a(b); → ;']],
    ['a.b = b;', ['a.b = b; → ;']],
    ['if (a) b();', ['a → true', 'a → false', 'b(); → ;']],
    ['await a();', ['await a(); → ;']],
  ])('of `%s` are %j', (statement, expected) => {
    expect(changes(`async ${inFunction(statement)}`)).toEqual(expected);
  });

  it.each([
    ['an assertion', inFunction("assert(a > b, 'expected a');")],
    ['a message', inFunction("throw new DomainError('CODE', `a ${b - 1}`);")],
    ['a log line', inFunction("this.log.error({ event: 'x' }, 'y');")],
    ['the turn of others', inFunction('if (a % 64 === 63) yield;')],
    ['a type', "type A = 'x' | 1; interface B { readonly c: true }"],
    ['an import', "import { a } from './a.ts';"],
    ['a constant of a module', "const LIMIT = 1_024; const NAME = 'x';"],
    ['text that is joined', inFunction('return `a` + b;')],
  ])('exclude %s', (_, text) => {
    expect(changes(text)).toEqual([]);
  });

  it('change their own text only', () => {
    const text = inFunction('return a < b && a < 7;');

    const texts = of(text).map((mutation) => mutated(text, mutation));

    expect(texts).toEqual([
      inFunction('return a < b || a < 7;'),
      inFunction('return a <= b && a < 7;'),
      inFunction('return a < b && a <= 7;'),
      inFunction('return a < b && a < 6;'),
    ]);
  });

  it('keep unique names when lines are added above', () => {
    const text = inFunction('return a < b && a < 7;');
    const keys = (source: string) => numbered(of(source)).map(keyOf);

    expect(keys(`// more\n\n${text}`)).toEqual(keys(text));
    expect(new Set(keys(text)).size).toBe(4);
  });
});

describe('sample of mutations', () => {
  const text = Array.from({ length: 50 }, (_, at) => `function f${at}(a) { return a < ${at + 1}; }`).join(
    '\n',
  );
  const namesOf = (mutations: readonly Mutation[]) => mutations.map(keyOf);

  it('is determined by its seed', () => {
    const all = numbered(of(text));

    const [one, again, other] = ['1', '1', '2'].map((seed) => namesOf(sampled(all, 20, seed)));

    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    expect(new Set(one).size).toBe(20);
  });

  it('keeps the remaining mutations when the code changes', () => {
    const before = namesOf(sampled(numbered(of(text)), 20, '1'));
    const changed = `function g(a) { return a > 0; }\n${text}`;
    const after = namesOf(sampled(numbered(of(changed)), 20, '1'));

    const kept = after.filter((name) => before.includes(name));

    expect(kept.length).toBeGreaterThanOrEqual(18);
  });
});
