/** Values as the kit writes them in its tables: both sides become the same text. */
import { textOf } from '../../src/value/arithmetic.ts';
import {
  type CypherMap,
  isList,
  isMap,
  LinkValue,
  NodeValue,
  PathValue,
  type Value,
} from '../../src/value/value.ts';
import type { PropertyGraph } from '../../src/graph/property-graph.port.ts';

/** `isUnordered`: lists are compared as bags. */
export function writtenValue(value: Value, graph: PropertyGraph, isUnordered = false): string {
  switch (typeof value) {
    case 'number':
      return Number.isNaN(value) ? 'NaN' : normalFloat(textOf(value));
    case 'string':
      return `'${value}'`;
    case 'object':
      return value === null ? 'null' : writtenObject(value, graph, isUnordered);
    default:
      return String(value);
  }
}

function writtenObject(value: Value & object, graph: PropertyGraph, isUnordered: boolean): string {
  if (isList(value)) {
    const items = value.map((item) => writtenValue(item, graph, isUnordered));
    return `[${(isUnordered ? items.sort() : items).join()}]`;
  }
  if (isMap(value)) return writtenMap(value, graph);
  if (value instanceof NodeValue) return writtenNode(value, graph);
  if (value instanceof LinkValue) return writtenLink(value, graph);
  return value instanceof PathValue ? writtenPath(value, graph) : `'${value.toString()}'`;
}

function writtenMap(map: CypherMap, graph: PropertyGraph): string {
  const entries = [...map].map(([key, item]) => `${key}:${writtenValue(item, graph)}`).sort();
  return `{${entries.join()}}`;
}

function writtenNode({ node }: NodeValue, graph: PropertyGraph): string {
  const labels = [...graph.labels(node)].sort().map((label) => `:${label}`);
  const properties = graph.nodeProperties(node);
  return `(${labels.join('')}${properties.size === 0 ? '' : writtenMap(properties, graph)})`;
}

function writtenLink({ link }: LinkValue, graph: PropertyGraph): string {
  const properties = graph.linkProperties(link);
  return `[:${graph.type(link)}${properties.size === 0 ? '' : writtenMap(properties, graph)}]`;
}

function writtenPath({ nodes, links }: PathValue, graph: PropertyGraph): string {
  const steps = links.map((link, index) => {
    const isOut = graph.start(link.link) === nodes[index]?.node;
    const [before, after] = isOut ? ['-', '->'] : ['<-', '-'];
    const end = nodes[index + 1];
    return before + writtenLink(link, graph) + after + (end === undefined ? '' : writtenNode(end, graph));
  });
  const [start] = nodes;
  return `<${start === undefined ? '' : writtenNode(start, graph)}${steps.join('')}>`;
}

/** The kit's text in the same form: without spaces, with sorted labels, keys and, if asked, elements. */
export function normalText(text: string, isUnordered = false): string {
  return new TextReader(text, isUnordered).read();
}

class TextReader {
  readonly #text: string;
  readonly #isUnordered: boolean;
  #at = 0;

  constructor(text: string, isUnordered: boolean) {
    this.#text = text;
    this.#isUnordered = isUnordered;
  }

  read(): string {
    this.#space();
    switch (this.#text[this.#at]) {
      case "'":
        return this.#string();
      case '[':
        return this.#text[this.#at + 1] === ':' ? this.#element('[', ']') : this.#list();
      case '{':
        return this.#map();
      case '(':
        return this.#element('(', ')');
      case '<':
        return this.#path();
      default:
        return this.#word();
    }
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #string(): string {
    let at = this.#at + 1;
    let value = '';
    for (; at < this.#text.length && this.#text[at] !== "'"; at++) {
      if (this.#text[at] === '\\') at++;
      value += this.#text.charAt(at);
    }
    this.#at = at + 1;
    return `'${value}'`;
  }

  #word(): string {
    const [word = ''] = /^[^,\]})\s:|>]+/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += Math.max(1, word.length);
    return /^-?(?:[\d.]+(?:e-?\d+)?|\d+\.\d+|Infinity)$/i.test(word) && /[.e]/i.test(word)
      ? normalFloat(word)
      : word;
  }

  #list(): string {
    const items = this.#items(']', () => this.read());
    return `[${(this.#isUnordered ? items.sort() : items).join()}]`;
  }

  #map(): string {
    const entries = this.#items('}', () => {
      const [key = ''] = /^[^:]+/.exec(this.#text.slice(this.#at)) ?? [];
      this.#at += key.length + 1;
      return `${key.trim()}:${this.read()}`;
    });
    return `{${entries.sort().join()}}`;
  }

  #items(end: string, item: () => string): string[] {
    const items: string[] = [];
    this.#at++;
    this.#space();
    while (this.#text[this.#at] !== end && this.#at < this.#text.length) {
      items.push(item());
      this.#space();
      if (this.#text[this.#at] === ',') this.#at++;
      this.#space();
    }
    this.#at++;
    return items;
  }

  #element(open: string, close: string): string {
    this.#at++;
    const labels: string[] = [];
    let properties = '';
    this.#space();
    while (this.#text[this.#at] !== close && this.#at < this.#text.length) {
      if (this.#text[this.#at] === '{') properties = this.#map();
      else {
        const [label = ''] = /^:?[^:{)\]\s]+/.exec(this.#text.slice(this.#at)) ?? [];
        this.#at += Math.max(1, label.length);
        labels.push(label);
      }
      this.#space();
    }
    this.#at++;
    return open + labels.sort().join('') + properties + close;
  }

  #path(): string {
    let text = '<';
    this.#at++;
    while (this.#text[this.#at] !== '>' || /-$/.test(text)) {
      const next = this.#text[this.#at] ?? '';
      if (next === '(' || next === '[') text += this.#element(next, next === '(' ? ')' : ']');
      else {
        text += next.trim();
        this.#at++;
      }
      if (this.#at > this.#text.length) break;
    }
    this.#at++;
    return `${text}>`;
  }
}

function normalFloat(text: string): string {
  return `f${String(Number(text))}`;
}
