import type { EntityInput, EntityStatement } from './ingest.ts';

const CACHE_MAX = 4_096;
const WORD_BREAK = /[^\p{L}\p{N}]+/u;
const cache = new Map<string, string>();

/** The default class of a type, in PascalCase: `aws_s3_bucket` → `AwsS3Bucket`. */
export function defaultClass(type: string): string {
  const known = cache.get(type);
  if (known !== undefined) return known;
  const name = type.split(WORD_BREAK).map(capitalise).join('') || type;
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(type, name);
  return name;
}

function capitalise(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length);
}

/** A list without items states no labels. */
export function someLabels(labels: readonly string[] | undefined): readonly string[] | undefined {
  return labels === undefined || labels.length === 0 ? undefined : labels;
}

/** Fills in the defaults: the class from the type, the display name from the key. */
export function completeEntity(statement: EntityStatement): EntityInput {
  return {
    type: statement.type,
    key: statement.key,
    class: statement.class ?? defaultClass(statement.type),
    displayName: statement.displayName ?? statement.key,
    labels: someLabels(statement.labels),
    properties: statement.properties,
    kinds: statement.kinds,
  };
}

/** The vocabulary of most sources. Other names are accepted with a warning, since they may be typos. */
export const KNOWN_CLASSES: ReadonlySet<string> = new Set([
  'Account',
  'Agent',
  'Alert',
  'Application',
  'Backup',
  'Certificate',
  'Cluster',
  'CodeRepository',
  'Container',
  'Control',
  'Credential',
  'Database',
  'DataStore',
  'Deployment',
  'Device',
  'Disk',
  'Document',
  'Domain',
  'Endpoint',
  'Finding',
  'Firewall',
  'Function',
  'Gateway',
  'Group',
  'Host',
  'Image',
  'Incident',
  'Key',
  'License',
  'Network',
  'NetworkInterface',
  'Organization',
  'Package',
  'Person',
  'Policy',
  'Process',
  'Project',
  'Queue',
  'Role',
  'Schema',
  'Secret',
  'Service',
  'Site',
  'Subnet',
  'Table',
  'Team',
  'User',
  'Vault',
  'Vendor',
  'Vulnerability',
  'Workload',
]);

// prettier-ignore

/** Upper case: the form in which verbs are compared. */
export const KNOWN_VERBS: ReadonlySet<string> = new Set([
  'ALLOWS', 'ASSIGNED', 'CONNECTS', 'CONTAINS', 'CREATED', 'DENIES', 'DEPENDS_ON', 'DEPLOYED_TO', 'EXPOSES',
  'GENERATED', 'HAS', 'IDENTIFIED', 'IMPLEMENTS', 'LICENSED_UNDER', 'LOGS', 'MANAGES', 'MAPS_TO', 'MEMBER_OF', 'MITIGATES',
  'MONITORS', 'OWNS', 'PROTECTS', 'CAN_READ', 'RUNS', 'SCANS', 'TRIGGERS', 'TRUSTS', 'USES', 'CAN_WRITE',
  'CAN_EXECUTE', 'CAN_READ_AS', 'CAN_SET_ROLE', 'CAN_WRITE_AS', 'REFERENCES', 'DESCRIBES', 'NOT_AFFECTED_BY', 'PROVIDES',
  'RELATES_TO',
]);

// prettier-ignore

export function isKnownClass(name: string): boolean {
  return KNOWN_CLASSES.has(name);
}

/** Whether a verb is a known one, in any case of letters. */
export function isKnownVerb(verb: string): boolean {
  return KNOWN_VERBS.has(verb) || KNOWN_VERBS.has(verb.toUpperCase());
}
