/** Random queries that read, as texts with one right result: an order is total where rows are cut off. */
import type { Choices } from './choices.ts';
import type { Kind, Named } from './named.ts';
import { RandomExpression } from './random-expression.ts';
import { RandomPattern } from './random-pattern.ts';

export interface RandomQuery {
  readonly text: string;
  readonly isOrdered: boolean;
}

interface Projection {
  readonly text: string;
  readonly scope: readonly Named[];
  readonly isOrdered: boolean;
}

interface PlainProjection {
  readonly word: 'WITH' | 'RETURN';
  readonly scope: readonly Named[];
  readonly columns: readonly string[];
  readonly isDistinct: boolean;
  readonly isOrdered: boolean;
}

const DEPTH = 3;

export function randomQuery(choices: Choices): RandomQuery {
  return new QueryMaker(choices).whole();
}

/** A part of a query, and what is known after it. */
interface MadeClauses {
  readonly text: string;
  readonly scope: readonly Named[];
}

export class QueryMaker {
  readonly #choices: Choices;
  readonly #patterns: RandomPattern;
  readonly #expressions: RandomExpression;

  constructor(choices: Choices) {
    this.#choices = choices;
    this.#patterns = new RandomPattern(choices, () => this.#expressions);
    this.#expressions = new RandomExpression(choices, this.#patterns);
  }

  fresh(prefix: string): string {
    return this.#patterns.fresh(prefix);
  }

  /** A value that a property may have, of variables and literals alone. */
  value(scope: readonly Named[]): string {
    return this.#expressions.of(this.#choices.of('integer', 'number', 'text', 'truth'), scope, 0);
  }

  truth(scope: readonly Named[]): string {
    return this.#expressions.truth(scope, 1);
  }

  reading(count: number, scope: readonly Named[] = []): MadeClauses {
    const texts: string[] = [];
    let inner = scope;
    for (let left = count; left > 0; left--) {
      const next = this.#clause(inner, texts.length === 0);
      texts.push(next.text);
      inner = next.scope;
    }
    return { text: texts.join(' '), scope: inner };
  }

  whole(): RandomQuery {
    const isUnion = this.#choices.chance(15);
    const first = this.#single(isUnion);
    if (!isUnion) return first;
    const join = this.#choices.of('UNION', 'UNION ALL');
    return { text: `${first.text} ${join} ${this.#single(true).text}`, isOrdered: false };
  }

  /** `hasOneColumn`: as the parts of a UNION have. */
  #single(hasOneColumn: boolean): RandomQuery {
    const head = this.reading(1 + this.#choices.below(3));
    const { text, isOrdered } = this.#projection('RETURN', head.scope, hasOneColumn ? ['c0'] : undefined);
    return { text: `${head.text} ${text}`, isOrdered };
  }

  #clause(scope: readonly Named[], isFirst: boolean): MadeClauses {
    const c = this.#choices;
    switch (isFirst && c.chance(85) ? 0 : c.below(9)) {
      case 0:
      case 1:
      case 2:
        return this.#match('MATCH', scope);
      case 3:
      case 4:
        return this.#match('OPTIONAL MATCH', scope);
      case 5:
        return this.#unwind(scope);
      case 6:
        return this.#call(scope);
      case 7:
        return this.#shortest(scope);
      default:
        return this.#projection('WITH', scope, undefined);
    }
  }

  #match(words: string, scope: readonly Named[]): MadeClauses {
    const c = this.#choices;
    let inner = scope;
    const patterns = c.times(c.chance(30) ? 2 : 1, () => {
      const made = this.#patterns.path(inner, { outer: scope });
      inner = made.scope;
      return made.text;
    });
    const where = c.chance(40) ? ` WHERE ${this.#expressions.truth(inner, DEPTH)}` : '';
    return { text: `${words} ${patterns.join(', ')}${where}`, scope: inner };
  }

  #shortest(scope: readonly Named[]): MadeClauses {
    const c = this.#choices;
    const made = this.#patterns.shortest(scope);
    const where = c.chance(60) ? ` WHERE ${this.#expressions.truth(made.inner, DEPTH)}` : '';
    return { text: `${c.of('', 'OPTIONAL ')}MATCH ${made.text}${where}`, scope: made.scope };
  }

  #unwind(scope: readonly Named[]): MadeClauses {
    const name = this.#patterns.fresh('u');
    const list = this.#choices.chance(20)
      ? this.#choices.of('null', '[]', '[null]', '[[1, 2], [], null]', '1', '[{k: 1}, {k: null}]')
      : this.#expressions.of(this.#choices.of('list', 'bag'), scope, DEPTH);
    return { text: `UNWIND ${list} AS ${name}`, scope: [...scope, { name, kind: 'any' }] };
  }

  #call(scope: readonly Named[]): MadeClauses {
    const c = this.#choices;
    const isAll = c.chance(15);
    const imported = scope.filter(() => isAll || c.chance(70));
    const names = imported.map(({ name }) => name).join(', ');
    const column = this.#patterns.fresh('k');
    const part = (): Projection => {
      const match = c.chance(20) ? this.#unwind(imported) : this.#match('MATCH', imported);
      const made = this.#projection('RETURN', match.scope, [column]);
      return { ...made, text: `${match.text} ${made.text}` };
    };
    const isWith = !isAll && imported.length > 0 && c.chance(25);
    const first = part();
    const parts = c.chance(30) ? [first, part()] : [first];
    const query = parts
      .map(({ text }) => (isWith ? `WITH ${names} ${text}` : text))
      .join(c.of(' UNION ', ' UNION ALL '));
    const [only = { name: column, kind: 'any' }] = first.scope;
    const kind = parts.length === 1 ? only.kind : only.kind === 'bag' ? 'bag' : 'any';
    const words = c.chance(15) ? 'OPTIONAL CALL' : 'CALL';
    const head = isWith ? words : `${words} (${isAll ? '*' : names})`;
    return { text: `${head} { ${query} }`, scope: [...scope, { name: column, kind }] };
  }

  #projection(
    word: 'WITH' | 'RETURN',
    scope: readonly Named[],
    names: readonly string[] | undefined,
  ): Projection {
    const c = this.#choices;
    const columns =
      names ??
      c.times(1 + c.below(3), (at) => (word === 'WITH' ? this.#patterns.fresh('w') : `c${String(at)}`));
    const form = c.below(5);
    if (form === 0) return this.#aggregate(word, scope, columns);
    const isBagWanted = word === 'RETURN' && names === undefined && c.chance(15);
    if (isBagWanted) return this.#withBag(scope, columns);
    return this.#plain({ word, scope, columns, isDistinct: form === 1, isOrdered: c.chance(50) });
  }

  /** Rows with a list whose order is not known; they are not sorted, and not compared among themselves. */
  #withBag(scope: readonly Named[], columns: readonly string[]): Projection {
    const { text } = this.#plain({ word: 'RETURN', scope, columns, isDistinct: false, isOrdered: false });
    return {
      text: `${text}, ${this.#expressions.of('bag', scope, DEPTH)} AS bag`,
      scope: [],
      isOrdered: false,
    };
  }

  #plain({ word, scope, columns, isDistinct, isOrdered }: PlainProjection): Projection {
    const kinds: readonly Kind[] = isOrdered
      ? ['scalar', 'flat']
      : ['any', 'scalar', 'list', 'node', 'truth', 'map', 'flat'];
    const items = columns.map((name) => this.#item(name, scope, kinds));
    const list = items.map(({ name, text }) => `${text} AS ${name}`).join(', ');
    const own = items.map(({ name, kind }) => ({ name, kind }));
    const outer = isDistinct ? own : [...scope, ...own];
    const order = isOrdered ? this.#order(columns, outer) : '';
    const hasWhere = word === 'WITH' && this.#choices.chance(40);
    const where = hasWhere ? ` WHERE ${this.#expressions.truth(outer, 2)}` : '';
    const words = isDistinct ? `${word} DISTINCT` : word;
    if (hasWhere && !isOrdered && this.#mayKeepAll(scope, isDistinct)) {
      return { text: `${words} *, ${list}${where}`, scope: [...scope, ...own], isOrdered };
    }
    return { text: `${words} ${list}${order}${where}`, scope: own, isOrdered };
  }

  /** Whether WITH may begin with `*`: rows are not distinct by what has no known order. */
  #mayKeepAll(scope: readonly Named[], isDistinct: boolean): boolean {
    const hasBags = isDistinct && scope.some(({ kind }) => kind === 'bag' || kind === 'way');
    return scope.length > 0 && !hasBags && this.#choices.chance(40);
  }

  #item(name: string, scope: readonly Named[], kinds: readonly Kind[]): Named & { readonly text: string } {
    const c = this.#choices;
    const kind = c.from(kinds) ?? 'any';
    const variable = c.from(
      scope.filter((each) => each.kind === 'node' || each.kind === 'link' || each.kind === 'path'),
    );
    if (kind === 'node') {
      return variable === undefined
        ? { name, kind: 'any', text: 'null' }
        : { ...variable, name, text: variable.name };
    }
    const isKept = kind !== 'scalar' && kind !== 'flat' && kind !== 'map';
    return { name, kind: isKept ? kind : 'any', text: this.#expressions.of(kind, scope, DEPTH) };
  }

  /** All columns, after one more expression, and often a part of the rows. */
  #order(columns: readonly string[], scope: readonly Named[]): string {
    const c = this.#choices;
    const first = c.chance(40) ? [this.#expressions.of(c.of('scalar', 'flat'), scope, 2)] : [];
    const keys = [...first, ...columns].map((key) => `${key}${c.of('', ' DESC')}`);
    const skip = c.chance(30) ? ` SKIP ${c.of('1', '0', '2')}` : '';
    const limit = c.chance(50) ? ` LIMIT ${c.of('2', '1', '3', '0')}` : '';
    return ` ORDER BY ${keys.join(', ')}${skip}${limit}`;
  }

  #aggregate(word: 'WITH' | 'RETURN', scope: readonly Named[], columns: readonly string[]): Projection {
    const c = this.#choices;
    const items = columns.map((name, at) => {
      if (at > 0 && c.chance(50))
        return { ...this.#item(name, scope, ['any', 'scalar', 'node', 'list', 'map']), isKey: true };
      return { name, ...this.#aggregateText(scope, word), isKey: false };
    });
    const list = items.map(({ name, text }) => `${text} AS ${name}`).join(', ');
    const own = items.map(({ name, kind }) => ({ name, kind }));
    const where = word === 'WITH' && c.chance(30) ? ` WHERE ${this.#expressions.truth(own, 2)}` : '';
    return { text: `${word} ${list}${where}`, scope: own, isOrdered: false };
  }

  #aggregateText(
    scope: readonly Named[],
    word: 'WITH' | 'RETURN',
  ): { readonly kind: Kind; readonly text: string } {
    const c = this.#choices;
    const of = (kind: Kind): string => this.#expressions.of(kind, scope, 2);
    const distinct = c.of('', 'DISTINCT ');
    switch (c.below(word === 'RETURN' ? 7 : 6)) {
      case 0:
        return { kind: 'integer', text: 'count(*)' };
      case 1:
        return { kind: 'integer', text: `count(${distinct}${of('any')})` };
      case 2:
        return { kind: 'number', text: `sum(${distinct}${of('number')})` };
      case 3:
        return { kind: 'any', text: `${c.of('min', 'max')}(${of(c.of('scalar', 'flat'))})` };
      case 4:
        return { kind: 'integer', text: `size(collect(${distinct}${of('any')})) + count(*) * 2` };
      case 5:
        return { kind: 'number', text: `coalesce(avg(${of('integer')}), 0.0)` };
      default:
        return { kind: 'bag', text: `collect(${distinct}${of('any')})` };
    }
  }
}
