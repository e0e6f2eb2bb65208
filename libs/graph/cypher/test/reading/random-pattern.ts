/** Random patterns: new and known variables, labels, types, properties, directions, lengths. */
import type { Choices } from './choices.ts';
import type { Named } from './named.ts';
import type { PatternMaker, RandomExpression } from './random-expression.ts';

interface Made {
  readonly text: string;
  readonly scope: readonly Named[];
}

interface PathOptions {
  /** What earlier clauses have bound: what properties and inner conditions may read. */
  readonly outer: readonly Named[];
  /** Whether it may define variables; else it has known ones only. */
  readonly canName?: boolean;
  readonly isShort?: boolean;
}

export class RandomPattern implements PatternMaker {
  readonly #choices: Choices;
  readonly #expressions: () => RandomExpression;
  #count = 0;

  constructor(choices: Choices, expressions: () => RandomExpression) {
    this.#choices = choices;
    this.#expressions = expressions;
  }

  fresh(prefix: string): string {
    return `${prefix}${String(this.#count++)}`;
  }

  /** Inside an expression: one relationship or two. */
  pattern(scope: readonly Named[], canName: boolean): Made {
    return this.path(scope, { outer: scope, canName, isShort: true });
  }

  path(scope: readonly Named[], { outer, canName = true, isShort = false }: PathOptions): Made {
    const c = this.#choices;
    const own = { outer, canName };
    const start = this.#node(scope, own);
    let { text } = start;
    let inner = start.scope;
    const length = isShort ? 1 + c.below(2) : c.below(3);
    for (let at = 0; at < length; at++) {
      const link = canName && c.chance(6) ? this.#repeated(inner, outer) : this.#link(inner, own);
      const end = this.#node(link.scope, own);
      text += link.text + end.text;
      inner = end.scope;
    }
    if (!canName || isShort || !c.chance(25)) return { text, scope: inner };
    const name = this.fresh('p');
    return { text: `${name} = ${text}`, scope: [...inner, { name, kind: 'path' }] };
  }

  /** `inner`: what its WHERE may read. */
  shortest(scope: readonly Named[]): Made & { readonly inner: readonly Named[] } {
    const c = this.#choices;
    const own = { outer: scope, canName: true };
    const start = this.#node(scope, own);
    const end = this.#node(start.scope, own);
    const [before, after] = this.#arrows();
    const types = c.chance(40) ? `:${this.#expressions().types()}` : '';
    const range = c.of('*', '*..2', '*0..', '*1..3');
    const name = this.fresh('p');
    const form = c.of('shortestPath', 'allShortestPaths');
    const text = `${name} = ${form}(${start.text}${before}[${types}${range}]${after}${end.text})`;
    const kind = form === 'shortestPath' ? 'way' : 'path';
    return {
      text,
      scope: [...end.scope, { name, kind }],
      inner: [...end.scope, { name, kind: 'path' }],
    };
  }

  #node(scope: readonly Named[], { outer, canName }: Required<Omit<PathOptions, 'isShort'>>): Made {
    const c = this.#choices;
    const labels = c.chance(20) ? `:${this.#expressions().labels()}` : '';
    const properties = c.chance(7) ? ` ${this.#properties(outer)}` : '';
    const known = c.from(scope.filter(({ kind }) => kind === 'node'));
    if (known !== undefined && c.chance(canName ? 35 : 60))
      return { text: `(${known.name}${labels}${properties})`, scope };
    if (!canName || c.chance(20)) return { text: `(${labels}${properties})`, scope };
    const name = this.fresh('n');
    const inner: readonly Named[] = [...scope, { name, kind: 'node' }];
    const where = c.chance(10)
      ? ` WHERE ${this.#expressions().truth([...outer, { name, kind: 'node' }], 1)}`
      : '';
    return { text: `(${name}${labels}${properties}${where})`, scope: inner };
  }

  #link(scope: readonly Named[], { outer, canName }: Required<Omit<PathOptions, 'isShort'>>): Made {
    const c = this.#choices;
    const [before, after] = this.#arrows();
    const types = c.chance(35) ? `:${this.#expressions().types()}` : '';
    const properties = c.chance(5) ? ` ${this.#properties(outer)}` : '';
    if (c.chance(25)) {
      const range = c.of('*1..2', '*', '*0..1', '*2', '*..2', '*0..', '*2..3');
      if (!canName || c.chance(60))
        return { text: `${before}[${types}${range}${properties}]${after}`, scope };
      const name = this.fresh('v');
      const inner: readonly Named[] = [...scope, { name, kind: 'list' }];
      return { text: `${before}[${name}${types}${range}${properties}]${after}`, scope: inner };
    }
    const known = c.from(outer.filter(({ kind }) => kind === 'link'));
    // A relationship stands in one place of a MATCH: one that is used is known no longer to the next pattern.
    if (known !== undefined && c.chance(10) && scope.includes(known)) {
      return {
        text: `${before}[${known.name}${types}]${after}`,
        scope: scope.filter((each) => each !== known),
      };
    }
    if (!canName || c.chance(40)) return { text: `${before}[${types}${properties}]${after}`, scope };
    const name = this.fresh('r');
    const inner: readonly Named[] = [...scope, { name, kind: 'link' }];
    return { text: `${before}[${name}${types}${properties}]${after}`, scope: inner };
  }

  /** `((a)-[r]->(b) WHERE condition){1,2}`; outside, its variables are lists. */
  #repeated(scope: readonly Named[], outer: readonly Named[]): Made {
    const c = this.#choices;
    const [a, r, b] = [this.fresh('a'), this.fresh('r'), this.fresh('b')];
    const inner: readonly Named[] = [
      { name: a, kind: 'node' },
      { name: r, kind: 'link' },
      { name: b, kind: 'node' },
    ];
    const [before, after] = this.#arrows();
    const types = c.chance(30) ? `:${this.#expressions().types()}` : '';
    const labels = c.chance(20) ? `:${this.#expressions().labels()}` : '';
    const further = c.chance(20) ? `-->(${c.of('', a)})` : '';
    if (c.chance(20)) return { text: `${before}[${types}]${after}${this.#quantifier()}`, scope };
    const where = c.chance(40) ? ` WHERE ${this.#expressions().truth([...outer, ...inner], 1)}` : '';
    const path = `(${a}${labels})${before}[${r}${types}]${after}(${b})${further}${where}`;
    const lists = inner.map(({ name }): Named => ({ name, kind: 'list' }));
    return { text: ` (${path})${this.#quantifier()} `, scope: [...scope, ...lists] };
  }

  #quantifier(): string {
    return this.#choices.of('{1,2}', '{2}', '{,2}', '{1}', '+', '*', '{2,}');
  }

  #arrows(): readonly [string, string] {
    return this.#choices.of(['-', '->'], ['<-', '-'], ['-', '-']);
  }

  #properties(outer: readonly Named[]): string {
    const c = this.#choices;
    if (c.chance(40)) return `{${c.of('n', 's', 'x', 'b')}: ${this.#expressions().of('any', outer, 1)}}`;
    return c.of('{n: 1}', "{s: 'a'}", '{b: true}', '{x: 1}', '{n: 0, b: false}', '{x: 1.0}');
  }
}
