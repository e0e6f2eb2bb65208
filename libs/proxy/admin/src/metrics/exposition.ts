import type { DurationSnapshot } from '#proxy/engine';

/**
 * The Prometheus text format, version 0.0.4: for each family `# HELP`, `# TYPE`, then its samples. Own code,
 * because prom-client accepts neither external counters nor filled histograms, and allocates several objects
 * per sample: see ADR 0091.
 *
 * In HELP, backslashes and line ends are escaped; in label values also double quotes.
 */
export interface FamilyHead {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Adds a sample: its value, then the values of the labels in order. Unknown values are omitted. */
export type Emit = (value: number | undefined, ...labelValues: readonly string[]) => void;

/** Adds a histogram, then the values of the family's labels in order. */
export type EmitDurations = (durations: DurationSnapshot, ...labelValues: readonly string[]) => void;

/** Builds the lines of a page. */
export class Exposition {
  readonly #lines: string[] = [];

  get text(): string {
    return this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`;
  }

  /** Starts a family of counters or gauges. */
  samples(head: FamilyHead): Emit {
    this.#begin(head);
    const { name, labels } = head;
    return (value, ...values) => {
      if (value === undefined) return;
      this.#lines.push(`${name}${braced(labelText(labels, values))} ${numberText(value)}`);
    };
  }

  /** Starts a family of histograms. */
  histograms(head: FamilyHead): EmitDurations {
    this.#begin(head);
    const { name, labels } = head;
    return ({ buckets, count, sumSeconds }, ...values) => {
      const own = labelText(labels, values);
      for (const { leSeconds, count: below } of buckets) {
        this.#lines.push(`${name}_bucket{${own},le="${numberText(leSeconds)}"} ${numberText(below)}`);
      }
      this.#lines.push(
        `${name}_bucket{${own},le="+Inf"} ${numberText(count)}`,
        `${name}_sum{${own}} ${numberText(sumSeconds)}`,
        `${name}_count{${own}} ${numberText(count)}`,
      );
    };
  }

  #begin({ name, type, help }: FamilyHead): void {
    this.#lines.push(`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`);
  }
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function labelText(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (const [i, name] of names.entries()) {
    text += `${i === 0 ? '' : ','}${name}="${escapedLabel(values[i] ?? '')}"`;
  }
  return text;
}

function escapedLabel(value: string): string {
  if (!/["\\\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapedHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
