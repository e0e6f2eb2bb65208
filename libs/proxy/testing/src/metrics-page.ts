/**
 * A strict parser of the Prometheus text format, version 0.0.4: the rules of Prometheus, and those of
 * `promtool check metrics`. Throws at the first line that violates a rule.
 *
 * 1. Every line ends with a line feed. Empty lines are allowed.
 * 2. A family is `# HELP name text`, `# TYPE name type`, then all its samples, contiguous; once in a page.
 * 3. Names are `[a-zA-Z_:][a-zA-Z0-9_:]*`, labels `[a-zA-Z_][a-zA-Z0-9_]*` and unique in a sample.
 * 4. In a label's value only `\\`, `\"` and `\n` are escapes.
 * 5. A sample is unique by name and labels.
 * 6. A counter is at least 0, and never NaN.
 * 7. A histogram has increasing bounds that end in `+Inf`, counts that do not decrease, `_sum`, and a
 *    `_count` equal to the last bucket.
 */
export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A parsed page of metrics. */
export class MetricsPage {
  readonly families: readonly MetricFamily[];

  constructor(text: string) {
    this.families = readFamilies(text);
    for (const family of this.families) checkFamily(family);
  }

  family(name: string): MetricFamily {
    const family = this.families.find((candidate) => candidate.name === name);
    if (family === undefined) throw new Error(`no family ${name}`);
    return family;
  }

  /** The one sample with these labels, or with more labels when it is the only one. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const [sample, ...others] = this.samples(name, labels);
    if (sample === undefined || others.length > 0) {
      throw new Error(
        `${name} ${JSON.stringify(labels)}: expected one sample, got ${others.length + Number(!!sample)}`,
      );
    }
    return sample.value;
  }

  /** The sum over all samples with these labels. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.samples(name, labels).reduce((sum, sample) => sum + sample.value, 0);
  }

  samples(name: string, labels: Readonly<Record<string, string>> = {}): readonly MetricSample[] {
    return this.families
      .flatMap((family) => family.samples)
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value));
  }
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (\\S.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`, 's');
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;

interface OpenFamily extends MetricFamily {
  readonly samples: MetricSample[];
  readonly keys: Set<string>;
}

function readFamilies(text: string): readonly MetricFamily[] {
  if (!text.endsWith('\n')) throw new Error('the page does not end with a line feed');
  const families = new Map<string, OpenFamily>();
  let help: RegExpExecArray | null = null;
  let open: OpenFamily | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const type = TYPE.exec(line);
    if (line.startsWith('# HELP ')) help = must(HELP.exec(line), line, 'a HELP line');
    else if (type !== null) open = addFamily(families, must(help, line, 'HELP before TYPE'), type);
    else addSample(open, line);
  }
  return [...families.values()];
}

function addFamily(
  families: Map<string, OpenFamily>,
  help: RegExpExecArray,
  type: RegExpExecArray,
): OpenFamily {
  const [line, name = '', kind = ''] = type;
  if (help[1] !== name) throw new Error(`${line}: the HELP before it is of ${help[1] ?? ''}`);
  if (families.has(name)) throw new Error(`${line}: the family is there twice`);
  const family = { name, type: kind, help: help[2] ?? '', samples: [], keys: new Set<string>() };
  families.set(name, family);
  return family;
}

function addSample(family: OpenFamily | undefined, line: string): void {
  if (family === undefined) throw new Error(`${line}: expected a family before its samples`);
  const [, name = '', labels = '', value = ''] = must(SAMPLE.exec(line), line, 'a sample');
  const suffix = name.slice(family.name.length);
  const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] }[
    family.type
  ] ?? [''];
  if (!name.startsWith(family.name) || !suffixes.includes(suffix)) {
    throw new Error(`${line}: no sample of ${family.name}`);
  }
  must(NUMBER.exec(value), line, 'a number');
  const sample = { name, labels: readLabels(labels, line), value: Number(value.replace('Inf', 'Infinity')) };
  const key = keyOf(sample);
  if (family.keys.has(key)) throw new Error(`${line}: the sample is there twice`);
  family.keys.add(key);
  family.samples.push(sample);
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = must(LABEL.exec(text), line, 'labels');
    if (Object.hasOwn(labels, name)) throw new Error(`${line}: label ${name} is there twice`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

function keyOf({ name, labels }: MetricSample): string {
  return JSON.stringify([name, Object.entries(labels).sort()]);
}

function checkFamily(family: MetricFamily): void {
  if (family.type === 'histogram') checkHistograms(family);
  if (family.type !== 'counter') return;
  for (const sample of family.samples) {
    if (!(sample.value >= 0)) throw new Error(`${keyOf(sample)}: a counter of ${sample.value}`);
  }
}

function checkHistograms({ name, samples }: MetricFamily): void {
  const groups = Map.groupBy(samples, ({ labels }) =>
    keyOf({ name, labels: { ...labels, le: '' }, value: 0 }),
  );
  for (const [key, own] of groups) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels['le']?.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    const count = own.find((sample) => sample.name === `${name}_count`)?.value;
    const hasSum = own.some((sample) => sample.name === `${name}_sum`);
    if (!isRising(bounds, true) || bounds.at(-1) !== Infinity)
      throw new Error(`${key}: bounds ${bounds.join()}`);
    if (!isRising(counts, false)) throw new Error(`${key}: counts ${counts.join()}`);
    if (!hasSum || count !== counts.at(-1))
      throw new Error(`${key}: no sum, or a count of ${count ?? 'none'}`);
  }
}

function isRising(values: readonly number[], strictly: boolean): boolean {
  return values.every((value, i) => {
    const before = values[i - 1] ?? -Infinity;
    return strictly ? value > before : value >= before;
  });
}

function must<T>(value: T | null | undefined, line: string, expected: string): T {
  if (value === null || value === undefined) throw new Error(`${line}: expected ${expected}`);
  return value;
}
