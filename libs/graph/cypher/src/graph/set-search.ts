/** Searches of sets, which the store runs for both languages, within a statement. */
import { ExecutionContext, type GraphReader, MarkPool, Pace, ReaderStatistics } from '#graph/execution';
import { isOneOf } from '#platform/foundation';
import type { Run } from './run.ts';

/** Sets of nodes that searches lend and give back. */
const marks = new MarkPool();
const LONG_AGO = { nowMs: (): number => 0, monotonicMs: (): number => 0 };
/** As in PQL: a few seconds of following trails one by one. */
const TRAIL_LINKS_MAX = 200_000_000;
/** Work between two steps of a search. */
export const WORK_PER_STEP = 256;

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
