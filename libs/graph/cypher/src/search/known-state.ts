/** What a search knows for one state of the data. */
import {
  BoundedMap,
  DataState,
  type GraphReader,
  PlanTemplates,
  type RowPlan,
  type SetPlan,
} from '#graph/execution';
import type { Run } from '../graph/run.ts';
import { type PropertyTest, type TestGround, wantedScalars } from '../match/property-test.ts';

/** Of a statement: for some values, and orders of magnitude of what they select. A plan takes 1 to 2 KB. */
const KEPT_PLANS_MAX = 8;
const KEY_MAX = 256;

interface Facts {
  readonly isSearched: boolean;
  readonly isGrouped: boolean;
  /** Tests of properties of which some value may be a list. */
  readonly lists: readonly PropertyTest[];
}

export class KnownState extends DataState {
  readonly templates = new PlanTemplates(KEPT_PLANS_MAX);
  /** By the values of all tests. */
  readonly plans = new BoundedMap<SetPlan | RowPlan>(KEPT_PLANS_MAX);
  readonly hasLists: boolean;
  /** Whether the answers of the store are those of Cypher, as long as what must be a list is one. */
  readonly isSearched: boolean;
  readonly isGrouped: boolean;
  readonly #mayBeList: (test: PropertyTest) => boolean;

  constructor(reader: GraphReader, { isSearched, isGrouped, lists }: Facts) {
    super(reader);
    this.isSearched = isSearched;
    this.isGrouped = isGrouped;
    this.hasLists = lists.length > 0;
    this.#mayBeList = (test) => lists.includes(test);
  }

  ground(run: Run, reader: GraphReader): TestGround {
    return { reader, run, mayBeList: this.#mayBeList };
  }
}

/** The values of all tests; undefined where one is none of equality, and for long ones. */
export function keyOfValues(tests: readonly PropertyTest[], run: Run): string | undefined {
  let key = '';
  for (const test of tests) {
    const scalars = wantedScalars(test, run);
    if (scalars === undefined) return undefined;
    key += String(scalars.length);
    for (const value of scalars) key += ` ${typeof value} ${String(value).length} ${String(value)}`;
    if (key.length > KEY_MAX) return undefined;
  }
  return key;
}
