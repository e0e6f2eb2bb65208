import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Direction, LinkBuffer } from '#graph/model';
import type { GraphReader } from '#graph/execution';
import { QueryEngine } from '#graph/query';
import { arbitraryGraph, NaiveReader } from '#graph/testing';
import { completed } from '#platform/foundation';
import { effort } from '#testing';

const ALL = 100_000;
const vocabulary = { hasClass: () => true, hasVerb: () => true };
const runs = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(400, 80)),
  verbose: fc.VerbosityLevel.Verbose,
};

const DIRECTIONS: readonly (readonly [string, Direction])[] = [
  ['', 'any'],
  [' <>', 'any'],
  [' >>', 'out'],
  [' <<', 'in'],
];
const VERBS: readonly (readonly [string, readonly string[] | '*'])[] = [
  ['RELATES TO', '*'],
  ['(RUNS|TRUSTS)', ['RUNS', 'TRUSTS']],
  ['uses', ['USES']],
];

const search = fc.record({
  from: fc.constantFrom('host', 'Host', 'Service', 'user', '*'),
  to: fc.constantFrom('host', 'Thing', 'Service', 'user'),
  via: fc.constantFrom(...VERBS),
  direction: fc.constantFrom(...DIRECTIONS),
  depth: fc.option(fc.integer({ min: 1, max: 4 })),
});

function viaText(
  [verbs]: (typeof VERBS)[number],
  [arrow]: (typeof DIRECTIONS)[number],
  depth: number | null,
): string {
  return `VIA ${verbs}${arrow}${depth === null ? '' : ` DEPTH ${String(depth)}`}`;
}

/** `[neighbour, link]` */
function neighbours(reader: GraphReader, node: number, verbs: readonly string[] | '*', direction: Direction) {
  const buffer: LinkBuffer = { count: 0, nodes: new Uint32Array(1), links: new Uint32Array(1) };
  reader.adjacency(verbs, direction).read(node, buffer);
  return Array.from(
    { length: buffer.count },
    (_, at) => [buffer.nodes[at] ?? 0, buffer.links[at] ?? 0] as const,
  );
}

/** Every walk of `hops` hops from one of `starts`. */
function walks(
  reader: GraphReader,
  starts: readonly number[],
  hops: number,
  next: (node: number) => number[],
): number[][] {
  let found = starts.map((start) => [start]);
  for (let hop = 0; hop < hops; hop++) {
    const seen = new Map(
      found.flatMap((walk) =>
        next(walk.at(-1) ?? 0).map((node) => [[...walk, node].join(), [...walk, node]]),
      ),
    );
    found = [...seen.values()];
  }
  return found.sort((a, b) => {
    const at = a.findIndex((node, index) => node !== b[index]);
    return at < 0 ? 0 : reader.compare(a[at] ?? 0, b[at] ?? 0);
  });
}

/** Paths with their relationships, as `nodes;links`. */
function allPaths(
  reader: GraphReader,
  starts: readonly number[],
  hops: number,
  options: PathOptions,
): string[] {
  let found = starts.map((start) => ({ nodes: [start], links: [] as number[] }));
  for (let hop = 0; hop < hops; hop++) {
    found = found.flatMap(({ nodes, links }) =>
      neighbours(reader, nodes.at(-1) ?? 0, options.verbs, options.direction).map(([node, link]) => ({
        nodes: [...nodes, node],
        links: [...links, link],
      })),
    );
  }
  const ending = found.filter(({ nodes }) => options.goals.has(nodes.at(-1) ?? -1));
  return [...new Set(ending.map(({ nodes, links }) => `${nodes.join()};${links.join()}`))];
}

interface PathOptions {
  readonly verbs: readonly string[] | '*';
  readonly direction: Direction;
  readonly goals: ReadonlySet<number>;
}

/** Nodes by their least distance from `starts`. */
function distances(starts: readonly number[], next: (node: number) => number[]): Map<number, number> {
  const found = new Map(starts.map((start) => [start, 0]));
  for (const [node, distance] of found) {
    for (const other of next(node)) if (!found.has(other)) found.set(other, distance + 1);
  }
  return found;
}

function startOf(path: string | undefined): string | undefined {
  return path?.split(/[,;]/)[0];
}

describe('a search', () => {
  it('finds the least of the shortest paths, or none within the depth', () => {
    fc.assert(
      fc.property(arbitraryGraph, search, (data, { from, to, via, direction, depth }) => {
        const reader = new NaiveReader(data);
        const next = (node: number) => neighbours(reader, node, via[1], direction[1]).map(([other]) => other);
        const starts = [...completed(reader.select({ names: from === '*' ? '*' : [from] }))];
        const goals = new Set(completed(reader.select({ names: [to] })));
        const reached = [...distances(starts, next)].filter(([node]) => goals.has(node));
        const least = Math.min(...reached.map(([, distance]) => distance));
        const isThere = Number.isFinite(least) && least <= (depth ?? Infinity);
        const candidates = isThere ? walks(reader, starts, least, next) : [];
        const expected = candidates.find((walk) => goals.has(walk.at(-1) ?? -1));

        const pql = `FIND SHORTEST PATH FROM ${from} TO ${to} ${viaText(via, direction, depth)}`;
        const result = new QueryEngine({ vocabulary }).runSync(reader, pql);
        const [path] = result.page(0, ALL).paths ?? [];

        expect(path && [...path.nodes]).toEqual(expected);
        expect(result.count).toBe(expected === undefined ? 0 : 1);
        const links = Array.from(path?.links ?? [], (link) =>
          [reader.linkFrom(link), reader.linkTo(link)].sort(),
        );
        expect(links).toEqual(expected?.slice(1).map((node, at) => [expected[at], node].sort()) ?? []);
      }),
      runs,
    );
  });

  it('finds all of the shortest paths, of all starts or of each one, and of each one the least', () => {
    fc.assert(
      fc.property(arbitraryGraph, search, (data, { from, to, via, direction, depth }) => {
        const reader = new NaiveReader(data);
        const options = {
          verbs: via[1],
          direction: direction[1],
          goals: new Set(completed(reader.select({ names: [to] }))),
        };
        const next = (node: number) => neighbours(reader, node, via[1], direction[1]).map(([other]) => other);
        const starts = [...completed(reader.select({ names: from === '*' ? '*' : [from] }))];
        const shortest = (sources: readonly number[]): string[] => {
          const reached = [...distances(sources, next)].filter(([node]) => options.goals.has(node));
          const least = Math.min(...reached.map(([, distance]) => distance));
          const isThere = Number.isFinite(least) && least <= (depth ?? Infinity);
          return isThere ? allPaths(reader, sources, least, options) : [];
        };
        const engine = new QueryEngine({ vocabulary });
        const ends = `${from} TO ${to} ${viaText(via, direction, depth)}`;
        const answer = (pql: string): string[] => {
          const result = engine.runSync(reader, pql);
          const { paths = [] } = result.page(0, ALL);
          expect(paths).toHaveLength(result.count);
          return paths.map(({ nodes, links }) => `${nodes.join()};${links.join()}`);
        };
        const all = answer(`FIND ALL SHORTEST PATHS FROM ${ends}`);
        expect([...all].sort()).toEqual(shortest(starts).sort());
        expect(all.slice(0, 1)).toEqual(answer(`FIND SHORTEST PATH FROM ${ends}`));
        expect(answer(`FIND ALL SHORTEST PATHS FROM ${ends} LIMIT 2`)).toEqual(all.slice(0, 2));

        const allOfEach = answer(`FIND ALL SHORTEST PATHS FROM EACH ${ends}`);
        expect([...allOfEach].sort()).toEqual(starts.flatMap((start) => shortest([start])).sort());
        const firsts = allOfEach.filter((path, at) => startOf(path) !== startOf(allOfEach[at - 1]));
        expect(answer(`FIND SHORTEST PATH FROM EACH ${ends}`)).toEqual(firsts);
        expect(firsts.map((path) => Number(startOf(path)))).toEqual(
          starts.filter((start) => shortest([start]).length > 0),
        );
      }),
      runs,
    );
  });

  it('returns each entity of a blast radius once, at its least depth, with a link from the previous depth', () => {
    fc.assert(
      fc.property(arbitraryGraph, search, (data, { from, via, direction, depth }) => {
        const reader = new NaiveReader(data);
        const next = (node: number) => neighbours(reader, node, via[1], direction[1]).map(([other]) => other);
        const starts = [...completed(reader.select({ names: from === '*' ? '*' : [from] }))];
        const all = distances(starts, next);
        const within = [...all].filter(([, distance]) => distance > 0 && distance <= (depth ?? 4));
        const expected = within.sort(([a, depthA], [b, depthB]) => depthA - depthB || reader.compare(a, b));

        const pql = `FIND BLAST RADIUS FROM ${from} ${viaText(via, direction, depth)}`;
        const result = new QueryEngine({ vocabulary }).runSync(reader, pql);
        const impacted = result.page(0, ALL).impacted ?? [];

        expect(impacted.map((item) => [item.node, item.depth])).toEqual(expected);
        const isCut = [...all.values()].some((distance) => distance > (depth ?? 4));
        expect(result.warnings.some(({ code }) => code === 'DEPTH_LIMIT')).toBe(isCut);
        expect(result.impactedByClass?.reduce((sum, [, count]) => sum + count, 0)).toBe(expected.length);
        for (const { node, depth: at, via: link } of impacted) {
          const ends = [reader.linkFrom(link), reader.linkTo(link)];
          const before = ends[0] === node ? ends[1] : ends[0];
          expect(ends).toContain(node);
          expect(all.get(before ?? -1)).toBe(at - 1);
        }
      }),
      runs,
    );
  });
});
