import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GraphReader } from '#graph/execution';
import { encodeResult, QueryEngine } from '#graph/query';
import { arbitraryFind, findText, type FindParts } from './arbitrary-find.ts';
import { arbitraryGraph } from './arbitrary-graph.ts';
import type { MakeReader } from './graph-reader-conformance.ts';
import { NaiveReader } from './naive-reader.ts';
import { TextSink } from './text-sink.ts';

const RUNS = 150;
const KNOWS_ALL = { hasClass: () => true, hasVerb: () => true };
const KNOWS_NOTHING = { hasClass: () => false, hasVerb: () => false };

/** Random queries give the same bytes over a reader as over the naive one. */
export function queryConformance(name: string, makeReader: MakeReader): void {
  describe(`queries over ${name}`, () => {
    it('give the same bytes as over the naive reader', () =>
      fc.assert(
        fc.asyncProperty(arbitraryGraph, arbitraryFind, async (data, parts) => {
          const reader = await makeReader(data);
          const naive = new NaiveReader(data);
          for (const pql of questions(parts)) expect(replyOf(reader, pql)).toBe(replyOf(naive, pql));
        }),
        { numRuns: RUNS, verbose: fc.VerbosityLevel.Verbose },
      ));
  });
}

/** Queries of all kinds over graphs of `arbitraryGraph`. */
export const arbitraryQuestions: fc.Arbitrary<readonly string[]> = arbitraryFind.map(questions);

function questions(parts: FindParts): readonly string[] {
  const { text, aliases } = findText(parts);
  const [first] = aliases;
  return [
    text,
    `${text} RETURN ${first === undefined ? 'COUNT' : aliases.join(', ')}`,
    `${text} GROUP BY ${first === undefined ? 'os' : `${first}.os`}`,
    'FIND SHORTEST PATH FROM host TO Service',
    'FIND BLAST RADIUS FROM user DEPTH 2',
  ];
}

/** The reply as text, with all warnings that the data gives: no word is known besides. */
export function replyWithWarnings(reader: GraphReader, pql: string): string {
  return replyOf(reader, pql, KNOWS_NOTHING);
}

function replyOf(reader: GraphReader, pql: string, vocabulary = KNOWS_ALL): string {
  const engine = new QueryEngine({ vocabulary });
  const sink = new TextSink();
  encodeResult(engine.runSync(reader, pql), reader, sink, { offset: 0, limit: 10_000, tookMs: 0 });
  return sink.text.replace(/"snapshot_version":\d+/, '"snapshot_version":1');
}
