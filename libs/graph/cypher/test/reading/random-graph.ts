/** Small graphs: labels and types that meet often, parallel relationships, self-loops, all kinds. */
import type { Choices } from './choices.ts';
import type { PlainGraph } from './plain-match.ts';
import { type Plain, PlainLink, type PlainMap, PlainNode, written } from './plain-value.ts';

export const LABELS = ['A', 'B', 'C'] as const;
export const TYPES = ['R', 'S', 'T'] as const;

export function randomGraph(choices: Choices): PlainGraph {
  const nodes = choices.times(choices.chance(5) ? 0 : 2 + choices.below(5), (id) => {
    const labels = LABELS.filter(() => choices.chance(50));
    return new PlainNode(id, labels, randomProperties(choices, id));
  });
  const links = choices.times(nodes.length === 0 ? 0 : 3 + choices.below(8), (at) => {
    const [start, end] = [choices.from(nodes), choices.from(nodes)];
    if (start === undefined || end === undefined) return [];
    const id = 100 + at;
    return [new PlainLink(id, [start, choices.of(...TYPES), end], randomProperties(choices, id))];
  });
  return { nodes, links: links.flat() };
}

/** `x` is of any kind; each of the others is of one. */
function randomProperties(choices: Choices, id: number): PlainMap {
  const all: readonly (readonly [string, Plain])[] = [
    ['n', BigInt(choices.below(4)) - 1n],
    ['f', choices.of<Plain>(1n, 0.5, -2.5, 3n, 1.5, NaN)],
    ['s', choices.of('a', 'b', 'ab', '', 'Ab', '😀a', 'ｚ')],
    ['b', choices.of(true, false)],
    ['l', choices.times(choices.below(4), () => BigInt(choices.below(3)))],
    ['x', choices.of<Plain>(1n, 'a', true, 1.5, ['a', 'b'], '1', 0n, false, [1n])],
  ];
  return new Map([['id', BigInt(id)], ...all.filter(() => choices.chance(70))]);
}

/** The statement that makes the graph. */
export function creationOf({ nodes, links }: PlainGraph): string | undefined {
  const made = [
    ...nodes.map((node) => {
      const labels = node.labels.map((label) => `:${label}`).join('');
      return `(n${String(node.id)}${labels} ${mapText(node.properties)})`;
    }),
    ...links.map(({ start, end, type, properties }) => {
      return `(n${String(start.id)})-[:${type} ${mapText(properties)}]->(n${String(end.id)})`;
    }),
  ];
  return made.length === 0 ? undefined : `CREATE ${made.join(', ')}`;
}

function mapText(properties: PlainMap): string {
  return `{${[...properties].map(([key, value]) => `${key}: ${written(value)}`).join(', ')}}`;
}
