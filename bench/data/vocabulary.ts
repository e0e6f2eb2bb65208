/**
 * The types, verbs and values of the benchmark's graph; Plexus knows all of them, because it would warn of
 * others.
 */

export interface EntityType {
  readonly type: string;
  readonly class: string;
}

/** One kind of relationship. A verb has only one kind, so that it determines the types of its ends. */
export interface LinkKind {
  readonly from: number;
  readonly verb: string;
  readonly to: number;
}

export const ENTITY_TYPES: readonly EntityType[] = [
  { type: 'host', class: 'Host' },
  { type: 'service', class: 'Service' },
  { type: 'user', class: 'User' },
  { type: 'package', class: 'Package' },
  { type: 'role', class: 'Role' },
  { type: 'database', class: 'Database' },
  { type: 'bucket', class: 'DataStore' },
  { type: 'network', class: 'Network' },
  { type: 'workload', class: 'Workload' },
  { type: 'vulnerability', class: 'Vulnerability' },
  { type: 'secret', class: 'Secret' },
  { type: 'device', class: 'Device' },
];

const KINDS: readonly (readonly [string, string, string])[] = [
  ['host', 'RUNS', 'service'],
  ['host', 'CONNECTS', 'network'],
  ['service', 'USES', 'database'],
  ['service', 'DEPENDS_ON', 'workload'],
  ['user', 'OWNS', 'host'],
  ['user', 'ASSIGNED', 'role'],
  ['package', 'HAS', 'vulnerability'],
  ['package', 'DEPLOYED_TO', 'host'],
  ['role', 'ALLOWS', 'bucket'],
  ['role', 'TRUSTS', 'user'],
  ['database', 'CONTAINS', 'secret'],
  ['database', 'EXPOSES', 'network'],
  ['bucket', 'LOGS', 'device'],
  ['bucket', 'TRIGGERS', 'service'],
  ['network', 'MONITORS', 'device'],
  ['network', 'PROTECTS', 'workload'],
  ['workload', 'CREATED', 'package'],
  ['workload', 'CAN_WRITE', 'bucket'],
  ['vulnerability', 'IDENTIFIED', 'database'],
  ['vulnerability', 'DENIES', 'device'],
  ['secret', 'GENERATED', 'role'],
  ['secret', 'IMPLEMENTS', 'user'],
  ['device', 'MANAGES', 'secret'],
  ['device', 'SCANS', 'package'],
];

function typeNumber(type: string): number {
  return ENTITY_TYPES.findIndex((candidate) => candidate.type === type);
}

export const LINK_KINDS: readonly LinkKind[] = KINDS.map(([from, verb, to]) => ({
  from: typeNumber(from),
  verb,
  to: typeNumber(to),
}));

/** States with their shares; a little less than a quarter of the entities run. */
export const STATES: readonly (readonly [string, number])[] = [
  ['running', 0.237],
  ['stopped', 0.2],
  ['starting', 0.18],
  ['failed', 0.14],
  ['paused', 0.13],
  ['retired', 0.113],
];

export const REGIONS: readonly string[] = ['us', 'eu', 'ap'].flatMap((area) =>
  ['east-1', 'east-2', 'west-1', 'west-2'].map((zone) => `${area}-${zone}`),
);

export const ENVIRONMENTS: readonly string[] = ['prod', 'stage', 'test', 'dev'];
