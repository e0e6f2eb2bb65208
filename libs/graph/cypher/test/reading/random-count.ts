/** Random queries that only count and aggregate what simple patterns match: such are searched as sets. */
import type { Choices } from './choices.ts';
import type { RandomQuery } from './random-query.ts';

export function randomCount(choices: Choices): RandomQuery {
  return new CountMaker(choices).whole();
}

class CountMaker {
  readonly #choices: Choices;
  readonly #nodes: string[] = [];
  readonly #links: string[] = [];

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  whole(): RandomQuery {
    const c = this.#choices;
    const matches = c.times(1 + c.below(2), () => `MATCH ${this.#paths()}${this.#where()}`);
    const optional = c.times(c.chance(35) ? 1 + c.below(2) : 0, () => this.#optional());
    const keys = c.times(c.below(3) === 0 ? 1 + c.below(2) : 0, () => this.#key());
    const aggregates = c.times(1 + c.below(2), () => this.#aggregate());
    const columns = [...keys, ...aggregates].map((text, at) => `${text} AS c${String(at)}`);
    const text = [...matches, ...optional, `RETURN ${columns.join(', ')}`].join(' ');
    return { text, isOrdered: false };
  }

  #paths(): string {
    const c = this.#choices;
    return c.times(c.chance(30) ? 2 : 1, () => this.#path(c.below(4))).join(', ');
  }

  #path(length: number): string {
    let text = this.#node();
    for (let at = 0; at < length; at++) text += this.#link() + this.#node();
    return text;
  }

  #optional(): string {
    const near = this.#choices.from(this.#nodes) ?? '';
    const text = `OPTIONAL MATCH (${near})${this.#link()}${this.#node(10)}`;
    return this.#choices.chance(30) ? `${text}${this.#link()}${this.#node(10)}` : text;
  }

  #node(known = 30): string {
    const c = this.#choices;
    const labels = c.chance(30) ? c.of(':A', ':B', ':A|B', ':C', ':A&B', ':Nobody') : '';
    const properties = c.chance(12) ? c.of(' {n: 1}', " {s: 'a'}", ' {x: 1}', ' {b: true}', ' {x: 1.5}') : '';
    const name = c.from(this.#nodes);
    if (name !== undefined && c.chance(known)) return `(${name}${labels}${properties})`;
    if (c.chance(25)) return `(${labels}${properties})`;
    const fresh = `n${String(this.#nodes.length)}`;
    this.#nodes.push(fresh);
    return `(${fresh}${labels}${properties})`;
  }

  #link(): string {
    const c = this.#choices;
    const [before, after] = c.of(['-', '->'] as const, ['<-', '-'] as const, ['-', '-'] as const);
    const types = c.chance(65) ? c.of(':R', ':S', ':T', ':R|S', ':Nothing') : '';
    if (c.chance(10)) return `${before}[${types}${c.of('*1..2', '*0..1', '*', '*2', '*2..3')}]${after}`;
    if (!c.chance(25)) return `${before}[${types}]${after}`;
    const fresh = `r${String(this.#links.length)}`;
    this.#links.push(fresh);
    return `${before}[${fresh}${types}]${after}`;
  }

  #where(): string {
    const c = this.#choices;
    const conditions = c.times(c.below(3), () => this.#condition());
    return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  }

  #condition(): string {
    const c = this.#choices;
    const [a, b] = [c.from(this.#nodes), c.from(this.#nodes)];
    if (a === undefined || b === undefined) return 'true';
    switch (c.below(6)) {
      case 0:
        return `${a} ${c.of('<>', '=')} ${b}`;
      case 1:
        return `${c.of('', 'NOT ')}(${a})${c.of('-[:R]->', '<-[:S]-', '--')}(${b})`;
      case 2:
        return `${a}.${c.of('n', 'x', 'f')} ${c.of('<', '<=', '>', '>=', '=', '<>')} ${c.of('1', '0.5', "'a'", '-1')}`;
      case 3:
        return `${c.of('', 'NOT ')}${a}.${c.of('x', 's', 'n')} IN [${c.of('1', "'a'", 'null')}, ${c.of('1.5', "'1'", '[1]')}]`;
      case 4:
        return `(${a}.s ${c.of('STARTS WITH', 'CONTAINS', 'ENDS WITH')} 'a' OR ${a}.s IS NULL)`;
      default:
        return `${a}.${c.of('x', 'l')} ${c.of('IS NULL', 'IS NOT NULL', '= [1]', "= 'a'", '= null')}`;
    }
  }

  #key(): string {
    const c = this.#choices;
    return `${c.from(this.#nodes) ?? '1'}${this.#nodes.length === 0 ? '' : c.of('.n', '.x', '.s', '', '.l')}`;
  }

  #aggregate(): string {
    const c = this.#choices;
    const node = c.from(this.#nodes);
    const link = c.from(this.#links);
    if (node === undefined || c.chance(25)) return 'count(*)';
    const distinct = c.of('', 'DISTINCT ');
    switch (c.below(7)) {
      case 0:
        return `count(${distinct}${node})`;
      case 1:
        return `count(${distinct}${link ?? node})`;
      case 2:
        return `count(${distinct}${node}.${c.of('n', 'x', 'l')})`;
      case 3:
        return `sum(${distinct}${node}.${c.of('n', 'f')})`;
      case 4:
        return `${c.of('min', 'max')}(${node}.n)`;
      case 5:
        return `coalesce(avg(${distinct}${node}.n), 0.0)`;
      default:
        return `size(collect(${distinct}${node}.x)) + count(*)`;
    }
  }
}
