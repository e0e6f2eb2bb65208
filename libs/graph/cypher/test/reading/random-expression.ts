/**
 * Random expressions of a wanted kind, which have a value for every row: no division by zero, no text where a
 * number is expected.
 */
import type { Choices } from './choices.ts';
import { LABELS, TYPES } from './random-graph.ts';
import type { Kind, Named } from './named.ts';
import { textCall, textList, TEXTS } from './random-text.ts';

/** A part of a query, and what is known after it. */
interface MadeText {
  readonly text: string;
  readonly scope: readonly Named[];
}

/** Makes the patterns inside expressions. */
export interface PatternMaker {
  /** A path over known and anonymous nodes; with `canName`, it may have new variables. */
  pattern(scope: readonly Named[], canName: boolean): MadeText;
  fresh(prefix: string): string;
}

export class RandomExpression {
  readonly #choices: Choices;
  readonly #patterns: PatternMaker;

  constructor(choices: Choices, patterns: PatternMaker) {
    this.#choices = choices;
    this.#patterns = patterns;
  }

  of(kind: Kind, scope: readonly Named[], depth: number): string {
    switch (kind) {
      case 'truth':
        return this.truth(scope, depth);
      case 'integer':
        return this.#integer(scope, depth);
      case 'number':
        return this.#number(scope, depth);
      case 'text':
        return this.#text(scope, depth);
      case 'list':
        return this.#list(scope, depth);
      case 'bag':
        return this.#bag(scope, depth);
      case 'scalar':
        return this.#scalar(scope, depth);
      case 'flat':
        return this.#flat(scope, depth);
      case 'map':
        return this.#map(scope, depth);
      default:
        return this.#any(scope, depth);
    }
  }

  truth(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const of = (kind: Kind): string => this.of(kind, scope, depth - 1);
    if (depth <= 0) return this.#leaf(scope, 'truth', 'b', ['true', 'false', 'null']);
    switch (c.below(15)) {
      case 0:
        return this.#leaf(scope, 'truth', 'b', ['true', 'false', 'null']);
      case 13:
        return `isEmpty(${of(c.of('list', 'text', 'map', 'bag'))})`;
      case 14:
        return `${of('flat')} ${c.of('=', '<>', '<', 'IN')} [${of('flat')}, ${of('flat')}]`;
      case 1:
        return `${of('number')} ${c.of('=', '<', '<=', '>', '>=', '<>')} ${of('number')}`;
      case 2:
        return `${of('text')} ${c.of('=', '<', '>=', 'STARTS WITH', 'ENDS WITH', 'CONTAINS')} ${of('text')}`;
      case 3:
        return `${of('any')} ${c.of('=', '<>', '<', '>=')} ${of('any')}`;
      case 4:
        return `(${of('truth')} ${c.of('AND', 'OR', 'XOR')} ${of('truth')})`;
      case 5:
        return `NOT (${of('truth')})`;
      case 6:
        return `(${of('any')}) IS ${c.of('', 'NOT ')}NULL`;
      case 7:
        return `(${of('any')}) IN ${of(c.of('list', 'bag'))}`;
      case 8:
        return this.#labelTest(scope);
      case 9:
        return this.#quantifier(scope, depth);
      case 10:
        return `EXISTS { ${this.#subquery(scope, depth)} }`;
      case 11:
        return this.#patternTest(scope);
      default:
        return `${of('integer')} < ${of('integer')} <= ${of('integer')}`;
    }
  }

  #patternTest(scope: readonly Named[]): string {
    const { text } = this.#patterns.pattern(scope, false);
    return this.#choices.of(`exists(${text})`, `EXISTS { ${text} }`);
  }

  #labelTest(scope: readonly Named[]): string {
    const node = this.#variable(scope, 'node');
    return node === undefined ? 'true' : `(${node}:${this.labels()})`;
  }

  labels(): string {
    const c = this.#choices;
    const [first, second] = [c.of(...LABELS), c.of(...LABELS)];
    return c.of(first, `${first}|${second}`, `${first}&${second}`, `!${first}`, '%', `(${first}|!${second})`);
  }

  types(): string {
    const c = this.#choices;
    const [first, second] = [c.of(...TYPES), c.of(...TYPES)];
    return c.of(first, `${first}|${second}`, `!${first}`);
  }

  #quantifier(scope: readonly Named[], depth: number): string {
    const name = this.#loopName(scope);
    const list = this.of(this.#choices.of('list', 'bag'), scope, depth - 1);
    const where = this.truth(
      [...scope.filter((each) => each.name !== name), { name, kind: 'any' }],
      depth - 1,
    );
    return `${this.#choices.of('any', 'all', 'none', 'single')}(${name} IN ${list} WHERE ${where})`;
  }

  /** A new name, or one that hides another. */
  #loopName(scope: readonly Named[]): string {
    const hidden = this.#choices.chance(20) ? this.#choices.from(scope) : undefined;
    return hidden?.name ?? this.#patterns.fresh('i');
  }

  /** What EXISTS and COUNT may have: short for a query, a query, or several. */
  #subquery(scope: readonly Named[], depth: number): string {
    if (this.#choices.chance(60)) return this.#match(scope, depth).text;
    const first = this.#column(scope, depth, 'any');
    if (!this.#choices.chance(40)) return first;
    return `${first} UNION ${this.#choices.of('', 'ALL ')}${this.#column(scope, depth, 'any')}`;
  }

  #match(scope: readonly Named[], depth: number): MadeText {
    const { text, scope: inner } = this.#patterns.pattern(scope, true);
    const where = this.#choices.chance(50) ? ` WHERE ${this.truth(inner, depth - 1)}` : '';
    return { text: `MATCH ${text}${where}`, scope: inner };
  }

  #unwind(scope: readonly Named[], depth: number): MadeText {
    const name = this.#patterns.fresh('i');
    const text = `UNWIND ${this.of('list', scope, depth - 1)} AS ${name}`;
    return { text, scope: [...scope, { name, kind: 'any' }] };
  }

  /** A query with the column `y`. */
  #column(scope: readonly Named[], depth: number, kind: Kind): string {
    const c = this.#choices;
    const { text, scope: inner } = c.chance(15) ? this.#unwind(scope, depth) : this.#match(scope, depth);
    const value = this.of(kind, inner, depth - 1);
    const distinct = c.of('', 'DISTINCT ');
    if (!c.chance(30)) return `${text} RETURN ${distinct}${value} AS y`;
    const where = c.chance(50) ? ` WHERE y ${c.of('IS NOT NULL', '<> 1', "= 'a'")}` : '';
    return `${text} WITH ${distinct}${value} AS y${where} RETURN y`;
  }

  /** In the order of its values, which are flat. */
  #sortedColumn(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const cut = c.of('', ' LIMIT 2', ' SKIP 1', ' SKIP 1 LIMIT 1');
    return `COLLECT { ${this.#column(scope, depth, 'flat')} ORDER BY y${c.of('', ' DESC')}${cut} }`;
  }

  #integer(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const of = (kind: Kind): string => this.of(kind, scope, depth - 1);
    const literals = ['0', '1', '2', '-1'];
    if (depth <= 0) return this.#leaf(scope, 'integer', 'n', literals);
    switch (c.below(9)) {
      case 0:
        return this.#leaf(scope, 'integer', 'n', literals);
      case 1:
        return `(${of('integer')} ${c.of('+', '-', '*')} ${of('integer')})`;
      case 2:
        return `(${of('integer')} ${c.of('/', '%')} ${c.of('2', '-3')})`;
      case 3:
        return `size(${of(c.of('list', 'text', 'bag'))})`;
      case 4: {
        const path = this.#variable(scope, 'path', 'way');
        return path === undefined ? 'size([])' : `length(${path})`;
      }
      case 5:
        return `COUNT { ${this.#subquery(scope, depth)} }`;
      case 6:
        return `coalesce(${of('integer')}, ${of('integer')})`;
      case 7:
        return this.#case('integer', scope, depth);
      default:
        return this.#reduce(scope, depth);
    }
  }

  #reduce(scope: readonly Named[], depth: number): string {
    const [sum, item] = [this.#patterns.fresh('sum'), this.#patterns.fresh('i')];
    const inner: Named[] = [...scope, { name: sum, kind: 'integer' }, { name: item, kind: 'integer' }];
    const [first, next] = [this.#integer(scope, depth - 1), this.#integer(inner, depth - 1)];
    return `reduce(${sum} = ${first}, ${item} IN range(0, 2) | ${next})`;
  }

  #case(kind: Kind, scope: readonly Named[], depth: number): string {
    const of = (wanted: Kind): string => this.of(wanted, scope, depth - 1);
    const otherwise = this.#choices.chance(50) ? ` ELSE ${of(kind)}` : '';
    if (this.#choices.chance(60)) return `CASE WHEN ${of('truth')} THEN ${of(kind)}${otherwise} END`;
    const test = this.#choices.of(
      of('any'),
      `${of('any')}, ${of('any')}`,
      'null',
      `IS NULL, = ${of('any')}`,
      `< ${of('flat')}, <> ${of('any')}`,
      `STARTS WITH ${of('text')}`,
    );
    return `CASE ${of(this.#choices.of('any', 'flat'))} WHEN ${test} THEN ${of(kind)}${otherwise} END`;
  }

  #number(scope: readonly Named[], depth: number): string {
    if (depth <= 0 || this.#choices.chance(40)) {
      return this.#leaf(scope, 'number', 'f', ['1', '0.5', '2.5', '1.0', 'NaN', '-Infinity']);
    }
    if (this.#choices.chance(50)) return this.#integer(scope, depth);
    const [left, right] = [this.#number(scope, depth - 1), this.#number(scope, depth - 1)];
    return `(${left} ${this.#choices.of('+', '-', '*')} ${right})`;
  }

  #text(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const link = this.#variable(scope, 'link');
    if (link !== undefined && c.chance(20)) return `type(${link})`;
    if (depth <= 0 || c.chance(40)) return this.#leaf(scope, 'text', 's', TEXTS);
    if (c.chance(20)) return this.#case('text', scope, depth);
    return textCall(c, scope, depth, (kind, inner, left) => this.of(kind, inner, left));
  }

  #list(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const of = (kind: Kind): string => this.of(kind, scope, depth - 1);
    if (depth <= 0) return this.#leaf(scope, 'list', 'l', ['[]', '[1, 2]', "['a', null]", '[true]']);
    switch (c.below(11)) {
      case 0:
        return this.#leaf(scope, 'list', 'l', ['[]', '[1, 2]', "['a', null]", '[1, 1.0]', '[[1], [], null]']);
      case 7:
        return this.#sortedColumn(scope, depth);
      case 8:
        return textList(c, of('text'));
      case 9:
        return `reverse(${of('list')})`;
      case 10: {
        const [sum, item] = [this.#patterns.fresh('sum'), this.#patterns.fresh('i')];
        const next = c.of(`[${item}] + ${sum}`, `${sum} + [${item}, ${item}]`, `tail(${sum}) + ${item}`);
        return `reduce(${sum} = ${of('list')}, ${item} IN ${of('list')} | ${next})`;
      }
      case 1:
        return `[${c.times(c.below(4), () => of('any')).join(', ')}]`;
      case 2: {
        const [name, list] = [this.#loopName(scope), of('list')];
        const inner: Named[] = [...scope.filter((each) => each.name !== name), { name, kind: 'any' }];
        const where = c.chance(50) ? ` WHERE ${this.truth(inner, depth - 1)}` : '';
        if (where !== '' && c.chance(30)) return `[${name} IN ${list}${where}]`;
        return `[${name} IN ${list}${where} | ${this.of('any', inner, depth - 1)}]`;
      }
      case 3:
        return `range(coalesce(${of('integer')}, 0) % 3, 2)`;
      case 4:
        return `(${of('list')} + ${of('list')})`;
      case 5:
        return `${of('list')}[${c.of(`${c.of('0', '1', '-2')}..`, '..2', '1..3', '-3..-1', `${of('integer')}..`)}]`;
      default: {
        const path = this.#variable(scope, 'path');
        return path === undefined ? `tail(${of('list')})` : c.of(`nodes(${path})`, `relationships(${path})`);
      }
    }
  }

  #bag(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const node = this.#variable(scope, 'node');
    if (node !== undefined && c.chance(40)) return c.of(`labels(${node})`, `keys(${node})`);
    if (c.chance(25)) return `COLLECT { ${this.#column(scope, depth, 'any')} }`;
    const { text, scope: inner } = this.#patterns.pattern(scope, true);
    const where = c.chance(30) ? ` WHERE ${this.truth(inner, depth - 1)}` : '';
    if (c.chance(20)) {
      const path = this.#patterns.fresh('p');
      return `[${path} = ${text}${where} | ${c.of(`length(${path})`, path, `nodes(${path})`)}]`;
    }
    return `[${text}${where} | ${this.#any(inner, depth - 1)}]`;
  }

  #flat(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const of = (): string => this.#scalar(scope, depth - 1);
    switch (c.below(8)) {
      case 0:
        return `[${c.times(c.below(3), of).join(', ')}]`;
      case 1:
        return `{k: ${of()}, j: ${of()}}`;
      case 2:
        return c.of(`{j: ${of()}}`, `{k: ${of()}, i: ${of()}}`, '{}', `[{k: ${of()}}, ${of()}]`);
      case 3:
        return c.of('null', '[null]', '{k: null}', '[[1], null]', 'NaN', '-Infinity');
      default:
        return this.#scalar(scope, depth);
    }
  }

  #map(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const element = this.#variable(scope, 'node', 'link');
    const map = `{k: ${this.#any(scope, depth - 1)}, j: ${this.#any(scope, depth - 1)}}`;
    if (element === undefined || c.chance(40)) return map;
    const items = c.of('.x, .none', '.*', `.*, x: ${this.#any(scope, depth - 1)}`, `.s, ${element}`);
    return c.of(`${element} {${items}}`, `properties(${element})`);
  }

  #scalar(scope: readonly Named[], depth: number): string {
    const element = this.#variable(scope, 'node', 'link');
    if (element !== undefined && this.#choices.chance(40)) return `${element}.${this.#choices.of('x', 'l')}`;
    return this.of(this.#choices.of('integer', 'number', 'text', 'truth'), scope, depth);
  }

  #any(scope: readonly Named[], depth: number): string {
    const c = this.#choices;
    const element = this.#variable(scope, 'node', 'link');
    if (element !== undefined && c.chance(40)) return `${element}.${c.of('x', 'id', 'none', 'n', 's')}`;
    const known = c.from(scope.filter(({ kind }) => kind !== 'bag' && kind !== 'way'));
    if (known !== undefined && c.chance(50)) return known.name;
    if (depth <= 0) return c.of('null', '1', "'a'", '1.0', 'true', '[1]');
    switch (c.below(4)) {
      case 0:
        return `(${this.of(c.of('truth', 'integer', 'number', 'text', 'list'), scope, depth - 1)})`;
      case 1:
        return `${this.#list(scope, depth - 1)}[${c.of('0', '1', '-1')}]`;
      case 2:
        return this.#case('any', scope, depth);
      default:
        return `${this.#map(scope, depth)}${c.of('', '.k', "['j']")}`;
    }
  }

  /** A value of the kind: a variable, a property that has it, or a literal. */
  #leaf(scope: readonly Named[], kind: Kind, key: string, literals: readonly string[]): string {
    const c = this.#choices;
    const variable = this.#variable(scope, kind);
    const element = this.#variable(scope, 'node', 'link');
    if (variable !== undefined && c.chance(40)) return variable;
    if (element !== undefined && c.chance(70)) return `${element}.${key}`;
    return c.from(literals) ?? 'null';
  }

  #variable(scope: readonly Named[], ...kinds: readonly Kind[]): string | undefined {
    return this.#choices.from(scope.filter(({ kind }) => kinds.includes(kind)))?.name;
  }
}
