/** The words that most sources need. Any other is accepted as well, with a warning: it may be a typo. */
export const KNOWN_CLASSES: ReadonlySet<string> = new Set([
  'Account', 'Agent', 'Alert', 'Application', 'Backup', 'Certificate', 'Cluster', 'CodeRepository', 'Container',
  'Control', 'Credential', 'Database', 'DataStore', 'Deployment', 'Device', 'Disk', 'Document', 'Domain', 'Endpoint',
  'Finding', 'Firewall', 'Function', 'Gateway', 'Group', 'Host', 'Image', 'Incident', 'Key', 'License', 'Network',
  'NetworkInterface', 'Organization', 'Package', 'Person', 'Policy', 'Process', 'Project', 'Queue', 'Role', 'Schema', 'Secret',
  'Service', 'Site', 'Subnet', 'Table', 'Team', 'User', 'Vault', 'Vendor', 'Vulnerability', 'Workload',
]); // prettier-ignore

/** Upper-cased: verbs are compared so. */
export const KNOWN_VERBS: ReadonlySet<string> = new Set([
  'ALLOWS', 'ASSIGNED', 'CONNECTS', 'CONTAINS', 'CREATED', 'DENIES', 'DEPENDS_ON', 'DEPLOYED_TO', 'EXPOSES',
  'GENERATED', 'HAS', 'IDENTIFIED', 'IMPLEMENTS', 'LICENSED_UNDER', 'LOGS', 'MANAGES', 'MAPS_TO', 'MEMBER_OF', 'MITIGATES',
  'MONITORS', 'OWNS', 'PROTECTS', 'CAN_READ', 'RUNS', 'SCANS', 'TRIGGERS', 'TRUSTS', 'USES', 'CAN_WRITE',
]); // prettier-ignore

export function isKnownClass(name: string): boolean {
  return KNOWN_CLASSES.has(name);
}

/** In any case of letters. */
export function isKnownVerb(verb: string): boolean {
  return KNOWN_VERBS.has(verb) || KNOWN_VERBS.has(verb.toUpperCase());
}
