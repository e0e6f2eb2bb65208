import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';

export interface TallyHistogramOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: Label;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  /** Default: none; what registers the metric reads it. */
  readonly registers?: Registry[];
}

type Values<Label extends string> = MetricObjectWithValues<MetricValueWithName<Label | 'le'>>;

interface Tally {
  /** Observations of each bucket alone; the last lies beyond all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A histogram with one label: plain numbers, which become its values when they are read. The library's
 * own copies and hashes the labels of each observation, which takes as long as a small query.
 */
export class TallyHistogram<Label extends string> extends Histogram<Label | 'le'> {
  readonly #options: TallyHistogramOptions<Label>;
  /** Says what the library's own histogram of these options is, and has no values. */
  readonly #description: Histogram<Label | 'le'>;
  readonly #tallies = new Map<string, Tally>();

  constructor(options: TallyHistogramOptions<Label>) {
    const { name, help, buckets, registers = [] } = options;
    super({ name, help, buckets: [...buckets], registers });
    this.#description = new Histogram<Label | 'le'>({
      name,
      help,
      labelNames: [options.label],
      registers: [],
    });
    this.#options = options;
  }

  /** Adds an observation under a value of the label. */
  tally(value: string, observed: number): void {
    const { buckets } = this.#options;
    let tally = this.#tallies.get(value);
    if (tally === undefined) {
      tally = { counts: new Float64Array(buckets.length + 1), sum: 0 };
      this.#tallies.set(value, tally);
    }
    let bucket = 0;
    while (bucket < buckets.length && observed > (buckets[bucket] ?? 0)) bucket++;
    tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1;
    tally.sum += observed;
  }

  /** The library's constructor calls it too. */
  override reset(): void {
    if (#tallies in this) this.#tallies.clear();
  }

  override async get(): Promise<Values<Label>> {
    const values = [...this.#tallies].flatMap(([value, tally]) => this.#valuesOf(value, tally));
    return { ...(await this.#description.get()), values };
  }

  /** The registry asks for this where there is one, in place of {@link get}. */
  getForPromString(): Promise<Values<Label>> {
    return this.get();
  }

  #valuesOf(value: string, { counts, sum }: Tally): MetricValueWithName<Label | 'le'>[] {
    const { name, label, buckets } = this.#options;
    const shared = { [label]: value };
    let count = 0;
    const valueOf = (part: string, figure: number, le?: number | string) => ({
      metricName: `${name}_${part}`,
      labels: { ...(le !== undefined && { le }), ...shared },
      value: figure,
    });
    const bounded = [...counts].map((own, at) => {
      count += own;
      return valueOf('bucket', count, buckets[at] ?? '+Inf');
    });
    return [...bounded, valueOf('sum', sum), valueOf('count', count)] as MetricValueWithName<Label | 'le'>[];
  }
}
