import type { GraphReader } from '../graph-reader.port.ts';
import type { Adjacency, FieldValue, Filter, LinkBuffer, Selection } from '#graph/model';
import { assert, DomainError } from '#platform/foundation';
import type { Profile } from './profile.ts';
import { compileCondition, type RowOperand } from '../pattern/condition.ts';
import type { PatternStep } from '../pattern/pattern.ts';
import type { ReaderStatistics } from '../pattern/statistics.ts';
import type { MarkPool, NodeMarks } from './node-marks.ts';
import type { Pace } from './pace.ts';

export interface ContextParts {
  readonly reader: GraphReader;
  readonly statistics: ReaderStatistics;
  readonly pace: Pace;
  readonly marks: MarkPool;
  /** Maximum number of slots of intermediate rows. */
  readonly slotsMax: number;
  /** Maximum number of links read while following trails one by one. */
  readonly trailLinksMax: number;
  /** Approximate memory limit of the run. */
  readonly memoryMax: number;
  readonly profile?: Profile;
}

/** The context of one run. Every operator is a generator that yields when {@link Pace.isDue} returns true. */
export class ExecutionContext {
  readonly reader: GraphReader;
  readonly pace: Pace;
  readonly profile: Profile | undefined;
  readonly #statistics: ReaderStatistics;
  readonly #marks: MarkPool;
  readonly #lent: NodeMarks[] = [];
  readonly #slotsMax: number;
  #slowMatchers: WeakSet<(node: number) => boolean> | undefined;
  readonly #trailLinksMax: number;
  readonly #memoryMax: number;
  #trailLinks = 0;
  #heldBytes = 0;

  constructor(parts: ContextParts) {
    this.reader = parts.reader;
    this.pace = parts.pace;
    this.profile = parts.profile;
    this.#statistics = parts.statistics;
    this.#marks = parts.marks;
    this.#slotsMax = parts.slotsMax;
    this.#trailLinksMax = parts.trailLinksMax;
    this.#memoryMax = parts.memoryMax;
  }

  adjacency({ verbs, direction }: Pick<PatternStep, 'verbs' | 'direction'>): Adjacency {
    return this.#statistics.adjacency(verbs, direction);
  }

  /** An upper bound for the number of nodes with the names of a selection. */
  estimateNames(selection: Selection): number {
    return this.#statistics.estimateNames(selection);
  }

  /** Undefined if every node passes. */
  matcher(selection: Selection): ((node: number) => boolean) | undefined {
    const isAll = selection.names === '*' && selection.filter === undefined;
    if (isAll) return undefined;
    const matcher = this.reader.matcher(selection);
    if (selection.filter !== undefined && matchesText(selection.filter)) {
      this.#slowMatchers ??= new WeakSet<(node: number) => boolean>();
      this.#slowMatchers.add(matcher);
    }
    return matcher;
  }

  /** Whether a {@link matcher} may be a thousand times slower than others, and so unfit for a tight loop. */
  isSlow(matcher: (node: number) => boolean): boolean {
    return this.#slowMatchers?.has(matcher) === true;
  }

  /** Whether a relationship passes the step's own condition; undefined without a condition. */
  linkMatcher(step: PatternStep): ((link: number) => boolean) | undefined {
    if (step.condition === undefined) return undefined;
    return compileCondition<RowOperand, number>(step.condition, {
      value: (operand) => {
        assert(operand.kind === 'field', 'expected a condition on fields of the relationship alone');
        return (link): FieldValue => this.reader.linkField(link, operand.field);
      },
      same: () => () => true,
      linked: () => () => false,
    });
  }

  /** Empty marks, valid until they are returned or the run ends. */
  takeMarks(): NodeMarks {
    const marks = this.#marks.take(this.reader.nodeBound);
    this.#lent.push(marks);
    return marks;
  }

  giveMarks(marks: NodeMarks): void {
    const at = this.#lent.lastIndexOf(marks);
    if (at >= 0) this.#lent.splice(at, 1);
    this.#marks.give(marks);
  }

  /** Releases the run's shared resources. */
  release(): void {
    if (this.#lent.length > 0) for (const marks of this.#lent.splice(0)) this.#marks.give(marks);
    this.#heldBytes = 0;
  }

  /** Approximate memory held by the run so far. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Adds memory held by the run; throws QUERY_TOO_LARGE above the limit. */
  hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes <= this.#memoryMax) return;
    throw new DomainError(
      'QUERY_TOO_LARGE',
      `expected to hold at most ${String(this.#memoryMax)} bytes while the query runs: narrow it, or group by fewer values`,
      { details: { limit: this.#memoryMax } },
    );
  }

  /** Resets the budgets when a run is restarted. */
  begin(): void {
    this.#trailLinks = 0;
    this.#heldBytes = 0;
  }

  /** Counts links read while following trails one by one; throws QUERY_TOO_LARGE above the limit. */
  spendTrails(links: number): void {
    this.#trailLinks += links;
    if (this.#trailLinks <= this.#trailLinksMax) return;
    throw new DomainError(
      'QUERY_TOO_LARGE',
      `whether long trails exist took more than ${String(this.#trailLinksMax)} steps: lower the bounds of the repeated hop, or name its ends more closely`,
      { details: { limit: this.#trailLinksMax } },
    );
  }

  /** Throws QUERY_TOO_LARGE above a query's limit. */
  checkSlots(slots: number): void {
    if (slots <= this.#slotsMax) return;
    throw new DomainError(
      'QUERY_TOO_LARGE',
      `expected at most ${String(this.#slotsMax)} values in intermediate rows: narrow the query, or alias less`,
      { details: { limit: this.#slotsMax } },
    );
  }
}

function matchesText(filter: Filter): boolean {
  if (filter.kind === 'test') return filter.test.steps !== undefined;
  return filter.kind === 'not' ? matchesText(filter.item) : filter.items.some(matchesText);
}

export function emptyBuffer(): LinkBuffer {
  return { count: 0, nodes: new Uint32Array(16), links: new Uint32Array(16) };
}
