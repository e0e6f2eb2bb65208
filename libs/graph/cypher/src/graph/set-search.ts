/** Searches of sets, which the store runs for both languages, within a statement. */
import {
  ExecutionContext,
  type GraphReader,
  MarkPool,
  NodeSet,
  Pace,
  ReaderStatistics,
} from '#graph/execution';
import type { Selection } from '#graph/model';
import { isOneOf, type Steps } from '#platform/foundation';
import type { Run } from './run.ts';

/** Sets of nodes that searches lend and give back. */
const marks = new MarkPool();
const LONG_AGO = { nowMs: (): number => 0, monotonicMs: (): number => 0 };
/** As in PQL: a few seconds of following trails one by one. */
const TRAIL_LINKS_MAX = 200_000_000;
/** Work between two steps of a search. */
export const WORK_PER_STEP = 256;
/** Estimates of more are not looked at. */
const CANDIDATES_MAX = 8;

interface SetSearch {
  readonly statistics: ReaderStatistics;
  /** To be released at the end. */
  readonly context: ExecutionContext;
}

/** Its steps are short, and their pauses and memory are counted by the statement. */
export function setSearch(reader: GraphReader): SetSearch {
  const statistics = new ReaderStatistics(reader);
  const context = new ExecutionContext({
    reader,
    statistics,
    pace: new Pace(LONG_AGO),
    marks,
    slotsMax: Infinity,
    trailLinksMax: TRAIL_LINKS_MAX,
    memoryMax: Infinity,
  });
  return { statistics, context };
}

/** The snapshot, where no change lies over it and it knows no other spelling of the types. */
export function readerOfTypes(
  { graph: { snapshot } }: Run,
  all: Iterable<readonly string[] | '*'>,
): GraphReader | undefined {
  return snapshot !== undefined && hasTypesAsWritten(snapshot, all) ? snapshot : undefined;
}

/** Whether the data has no other spelling of the types. */
export function hasTypesAsWritten(reader: GraphReader, all: Iterable<readonly string[] | '*'>): boolean {
  for (const types of all) {
    if (types === '*') continue;
    const areExact = types.every((type) => reader.spellings(type).every((each) => isOneOf(types, each)));
    if (!areExact) return false;
  }
  return true;
}

/** The only node of a selection; undefined where there is another number of them. */
export function* oneNode(reader: GraphReader, selection: Selection): Steps<NodeSet | undefined> {
  if (reader.estimate(selection) > CANDIDATES_MAX) return undefined;
  const nodes = yield* reader.select(selection);
  return nodes.length === 1 ? new NodeSet(nodes, true, reader.nodeBound) : undefined;
}
