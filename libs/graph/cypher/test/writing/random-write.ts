/**
 * Random statements that write, each with one right result in whatever order its rows come: what a clause
 * sets is the same for all rows, or made of what it sets.
 */
import type { Choices } from '../reading/choices.ts';
import type { Kind, Named } from '../reading/named.ts';
import { LABELS, TYPES } from '../reading/random-graph.ts';
import { QueryMaker, type RandomQuery } from '../reading/random-query.ts';

export function randomWrite(choices: Choices): RandomQuery {
  return new WriteMaker(choices).whole();
}

class WriteMaker {
  readonly #choices: Choices;
  readonly #queries: QueryMaker;
  #scope: readonly Named[] = [];

  constructor(choices: Choices) {
    this.#choices = choices;
    this.#queries = new QueryMaker(choices);
  }

  whole(): RandomQuery {
    const c = this.#choices;
    const head = this.#queries.reading(c.chance(80) ? 1 + c.below(2) : 0);
    this.#scope = head.scope;
    const updates = c.times(1 + c.below(3), () => this.#update());
    return {
      text: [head.text, ...updates, this.#end()].filter((each) => each !== '').join(' '),
      isOrdered: false,
    };
  }

  #update(): string {
    switch (this.#choices.below(9)) {
      case 0:
      case 1:
        return this.#create();
      case 2:
      case 3:
        return this.#merge();
      case 4:
      case 5:
        return this.#set(this.#scope);
      case 6:
        return this.#remove();
      case 7:
        return this.#foreach();
      default:
        return this.#call();
    }
  }

  /** A last clause, after which nothing of what is deleted is read. */
  #end(): string {
    const c = this.#choices;
    const [node, link, path] = [this.#known('node'), this.#known('link'), this.#known('path')];
    const count = c.of('', ' RETURN count(*) AS c');
    switch (c.below(7)) {
      case 0:
        return node === undefined ? count.trim() : `DETACH DELETE ${node}${count}`;
      case 1:
        return link === undefined ? count.trim() : `DELETE ${link}${count}`;
      case 2:
        return node === undefined
          ? count.trim()
          : `DELETE ${[link, node].filter((each) => each).join(', ')}${count}`;
      case 3:
        return path === undefined ? count.trim() : `${c.of('DETACH ', '')}DELETE ${path}${count}`;
      case 4: {
        // Without conditions: properties may have values of any kind now.
        const found = `(w${c.of('', ':New', ':A')})${c.of('', '-[v]->()', '-[v:R]-(u)', '-[:S|R*1..2]->(u)')}`;
        return `WITH count(*) AS written MATCH ${found} RETURN count(*) AS c`;
      }
      default:
        if (node === undefined) return count.trim();
        return `RETURN ${c.of(`${node}.hits`, `${node}.n`, `size(labels(${node}))`, `sum(${node}.hits)`)} AS c`;
    }
  }

  #create(): string {
    const c = this.#choices;
    const text = c.times(c.chance(25) ? 2 : 1, () => this.#newPath(c.below(3))).join(', ');
    return `CREATE ${text}`;
  }

  #newPath(length: number): string {
    let text = this.#newNode(length > 0);
    for (let at = 0; at < length; at++) {
      const [before, after] = this.#choices.of(['-', '->'], ['<-', '-']);
      text += `${before}[${this.#newLink()}]${after}${this.#newNode(true)}`;
    }
    return text;
  }

  #newLink(): string {
    const c = this.#choices;
    const type = `:${c.of(...TYPES, 'New')}`;
    return c.chance(40) ? `${type} {n: ${this.#queries.value(this.#before)}}` : type;
  }

  /** What the clause may read: nothing of its own. */
  #before: readonly Named[] = [];

  #newNode(mayBeKnown: boolean): string {
    const c = this.#choices;
    this.#before = this.#scope.filter(({ name }) => !name.startsWith('new'));
    const known = this.#known('node');
    if (mayBeKnown && known !== undefined && c.chance(60)) return `(${known})`;
    const labels = c.of('', ':A', ':B:C', ':New', ':A:New');
    const properties = c.chance(60)
      ? ` {${c.of('n', 'x', 's')}: ${this.#queries.value(this.#before)}${c.of('', ', b: true', ', l: [1, 2]')}}`
      : '';
    if (c.chance(50)) return `(${labels}${properties})`;
    const name = this.#queries.fresh('new');
    this.#scope = [...this.#scope, { name, kind: 'node' }];
    return `(${name}${labels}${properties})`;
  }

  #merge(): string {
    const c = this.#choices;
    const before = this.#scope;
    const [first, second] = [this.#known('node'), this.#known('node')];
    const name = this.#queries.fresh('m');
    const label = c.of(...LABELS, 'New');
    const value = c.chance(60) ? c.of('1', "'a'", '0', 'true', "'new'") : this.#queries.value(before);
    const node = `(${name}:${label} {${c.of('n', 'x', 's')}: ${value}})`;
    const named: Named = { name, kind: 'node' };
    this.#scope = [...before, named];
    const pattern = this.#mergePattern(node, first, second);
    const target = pattern.includes(name) ? name : undefined;
    if (target === undefined) this.#scope = before;
    const onCreate =
      target !== undefined && c.chance(50) ? ` ON CREATE SET ${this.#setting(target, 'made')}` : '';
    const onMatch =
      target !== undefined && c.chance(50) ? ` ON MATCH SET ${this.#setting(target, 'seen')}` : '';
    return `MERGE ${pattern}${onCreate}${onMatch}`;
  }

  #mergePattern(node: string, first: string | undefined, second: string | undefined): string {
    const c = this.#choices;
    const type = `:${c.of(...TYPES)}`;
    const directed = c.of(`-[${type}]->`, `-[${type} {n: 1}]->`, `<-[${type}]-`);
    // Between two known nodes the order of the rows would choose a direction.
    const link = c.chance(30) ? c.of(`-[${type}]-`, `-[${type} {n: 1}]-`, `<-[${type}]->`) : directed;
    switch (c.below(4)) {
      case 0:
        return first === undefined ? node : `(${first})${link}${node}`;
      case 1:
        return first === undefined || second === undefined
          ? node
          : `(${first})${first === second ? link : directed}(${second})`;
      case 2:
        return `(:${c.of(...LABELS)})${link}${node}`;
      default:
        return node;
    }
  }

  /** Of keys that no pattern of MERGE has. */
  #setting(target: string, key: string): string {
    return this.#choices.of(
      `${target}.${key} = true`,
      `${target}.hits = coalesce(${target}.hits, 0) + 1`,
      `${target} += {${key}: 1, b: null}`,
      `${target}:Seen`,
    );
  }

  #set(scope: readonly Named[]): string {
    const c = this.#choices;
    const elements = scope.filter(({ kind }) => kind === 'node' || kind === 'link');
    const [first, second] = [c.from(elements), c.from(elements)];
    if (first === undefined || second === undefined) return this.#create();
    if (c.chance(15)) return `SET ${first.name} = ${c.of('{n: 1, s: null}', '{}', "{x: 'set', l: [1]}")}`;
    const a = first.name;
    const one = c.of(
      `${a}.n = ${c.of('5', 'null', `${a}.n + 1`, 'NaN', '9223372036854775807')}`,
      `${a}.hits = coalesce(${a}.hits, 0) + 1`,
      `${a} += {n: 7, none: null}`,
      `${a}['n'] = ${c.of("'text'", '1.0', '[1, 2]')}`,
      first.kind === 'node' ? `${a}:${c.of('New', 'A', 'B:C')}` : `${a}.n = 1`,
    );
    const other = c.of(`${second.name}.s = 'set'`, `${second.name}.x = ${c.of('null', '1', '[]')}`);
    return `SET ${c.chance(40) ? `${one}, ${other}` : one}`;
  }

  #remove(): string {
    const c = this.#choices;
    const element = c.from(this.#scope.filter(({ kind }) => kind === 'node' || kind === 'link'));
    if (element === undefined) return this.#create();
    const { name, kind } = element;
    const items = [`${name}.${c.of('n', 'x', 'none')}`, `${name}['s']`];
    if (kind === 'node') items.push(`${name}:${c.of(...LABELS, 'New')}`);
    return `REMOVE ${items.filter((_, at) => at === 0 || c.chance(50)).join(', ')}`;
  }

  #foreach(): string {
    const c = this.#choices;
    const [node, path] = [this.#known('node'), this.#known('path')];
    const item = this.#queries.fresh('each');
    const counted = `${node ?? ''}.hits = coalesce(${node ?? ''}.hits, 0) + ${item}`;
    if (path !== undefined && c.chance(50)) {
      return `FOREACH (${item} IN nodes(${path}) | SET ${item}.hits = coalesce(${item}.hits, 0) + 1)`;
    }
    const list = c.of('[1, 2]', 'range(1, 3)', 'null', '[]', '[1, 1]');
    if (node === undefined || c.chance(50)) {
      const update = c.of(`CREATE (:New {n: ${item}})`, `MERGE (f:New {n: ${item}}) SET f.made = true`);
      return `FOREACH (${item} IN ${list} | ${update})`;
    }
    const condition = `CASE WHEN ${this.#queries.truth([{ name: node, kind: 'node' }])} THEN [1] ELSE [] END`;
    return c.of(
      `FOREACH (${item} IN ${list} | SET ${counted})`,
      `FOREACH (${item} IN ${condition} | SET ${node}.made = true)`,
      `FOREACH (${item} IN ${list} | FOREACH (inner IN [${item}] | CREATE (${node})-[:New {n: inner}]->(:New)))`,
    );
  }

  #call(): string {
    const c = this.#choices;
    const node = this.#known('node');
    const name = this.#queries.fresh('k');
    const made: Named = { name, kind: 'node' };
    const value = node === undefined ? '1' : `${node}.${c.of('n', 'x', 's')}`;
    if (c.chance(40)) return `CALL (${node ?? ''}) { CREATE (:New {n: ${value}}) }`;
    if (node !== undefined && c.chance(40)) {
      return `CALL (${node}) { ${this.#set([{ name: node, kind: 'node' }])} }`;
    }
    this.#scope = [...this.#scope, made];
    return `CALL (${node ?? ''}) { CREATE (${name}:New {n: ${value}}) RETURN ${name} }`;
  }

  #known(kind: Kind): string | undefined {
    return this.#choices.from(this.#scope.filter((each) => each.kind === kind))?.name;
  }
}
