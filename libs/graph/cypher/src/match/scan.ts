/** Scans of nodes: of all, of those with a label, or of those that an index of the store finds. */
import type { GraphReader } from '#graph/execution';
import type { Filter } from '#graph/model';
import { extended, type Run, valuesInSteps } from '../graph/run.ts';
import type { NodeSelection } from '../graph/property-graph.port.ts';
import { flatMapped, type Operator, pausing, type Stage } from '../stage/stage.ts';
import { isList, NodeValue, type Value } from '../value/value.ts';
import type { KnownTest, KnownValue } from './conditions.ts';
import { filterOfTests, isOfStore } from './property-test.ts';

/** What is known of the nodes before they are read; all of it is tested again. */
export interface ScanStep {
  readonly slot: number;
  readonly labels: readonly string[];
  readonly knownValues: readonly KnownValue[];
  readonly knownTests: readonly KnownTest[];
}

export function scanned(step: ScanStep): Stage {
  const { slot, labels, knownValues } = step;
  const evaluations = knownValues.map(({ value }) => value);
  return flatMapped(function* (row, run) {
    const equals = equalsOf(knownValues, yield* valuesInSteps(evaluations, row, run));
    if (equals === undefined) return;
    const scan = run.graph.scan({ labels, equals, filter: filterOf(step, run) });
    for (const node of yield* pausing(scan)) yield extended(row, slot, new NodeValue(node));
  });
}

/** About how many nodes a scan finds, as far as the store can tell before it is asked. */
export function scanCost(step: ScanStep, run: Run): number {
  const { labels, knownValues } = step;
  const told = knownValues.flatMap((known) => {
    const value = known.isConstant ? known.value.evaluate([], run) : null;
    return value === null ? [] : [{ known, value }];
  });
  const equals = equalsOf(
    told.map(({ known }) => known),
    told.map(({ value }) => value),
  );
  if (equals === undefined) return 0;
  const count = run.graph.estimate({ labels, equals, filter: filterOf(step, run) });
  return told.length < knownValues.length ? Math.sqrt(count) : count;
}

export function scanOperator(
  { labels, knownValues, knownTests }: ScanStep,
  name: string,
): Omit<Operator, 'estimate'> {
  const keys = [
    ...new Set([...knownValues.map(({ key }) => key), ...knownTests.map(({ test }) => test.key)]),
  ];
  const details = [
    name,
    ...labels.map((label) => `:${label}`),
    keys.length > 0 ? `(${keys.join(', ')})` : '',
  ];
  return { name: operatorName({ labels, knownValues, knownTests }), details: [details.join('')] };
}

function operatorName({ labels, knownValues, knownTests }: Omit<ScanStep, 'slot'>): string {
  if (knownValues.length > 0) return 'NodeIndexSeek';
  if (knownTests.some(({ test }) => test.bound !== undefined)) return 'NodeIndexSeekByRange';
  if (knownTests.length > 0) return 'NodeIndexScan';
  return labels.length > 0 ? 'NodeByLabelScan' : 'AllNodesScan';
}

/** Undefined where no node has the values. */
function equalsOf(
  known: readonly KnownValue[],
  values: readonly Value[],
): NodeSelection['equals'] | undefined {
  const equals: (readonly [key: string, values: readonly Value[]])[] = [];
  for (const [at, { key, isList: isOneOf }] of known.entries()) {
    const wanted = wantedOf(values[at] ?? null, isOneOf);
    if (wanted?.length === 0) return undefined;
    if (wanted !== undefined) equals.push([key, wanted]);
  }
  return equals;
}

/** Undefined where an index does not tell which nodes have them. */
function wantedOf(value: Value, isOneOf: boolean): readonly Value[] | undefined {
  if (value === null) return [];
  if (isOneOf && !isList(value)) return undefined;
  const all = isList(value) && isOneOf ? value.filter((item) => item !== null) : [value];
  return all.some((item) => typeof item === 'object') ? undefined : all;
}

function filterOf({ labels, knownTests }: ScanStep, run: Run): NodeSelection['filter'] {
  // After EXPLAIN a parameter may have no value.
  const told = knownTests.filter(({ test }) => test.parameters.every((name) => run.parameters.has(name)));
  if (told.length === 0) return undefined;
  return (reader: GraphReader): Filter | undefined => {
    const names = labels.length === 0 ? '*' : labels;
    const ground = { reader, run };
    const tests = told.map(({ test }) => test).filter((test) => isOfStore(test, ground));
    return filterOfTests(tests, names, ground);
  };
}
