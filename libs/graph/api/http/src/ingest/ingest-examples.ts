/** Example bodies of the documentation; a test sends each of them. */
export const SYNC_EXAMPLE = {
  connector_id: 'inventory',
  sync_id: '2026-11-21T06:00',
  entities: [
    { type: 'host', key: 'web-03', properties: { os: 'linux', state: 'running', cpu: 8 } },
    { type: 'service', key: 'haproxy', properties: { port: 443 } },
  ],
  relationships: [
    { from: { type: 'host', key: 'web-03' }, verb: 'RUNS', to: { type: 'service', key: 'haproxy' } },
  ],
};

export const WRITE_EXAMPLE = {
  write_id: 'change-4711',
  entities: [{ type: 'host', key: 'web-04', properties: { os: 'linux' } }],
  relationships: [
    { from: { type: 'edr_agent', key: 'edr-1' }, verb: 'PROTECTS', to: { type: 'host', key: 'web-04' } },
  ],
  delete: { entities: [{ type: 'host', key: 'win-01' }] },
};

export const BULK_EXAMPLE = [
  { op: 'entity', type: 'host', key: 'web-05', properties: { os: 'linux' } },
  {
    op: 'relationship',
    from: { type: 'host', key: 'web-05' },
    verb: 'RUNS',
    to: { type: 'service', key: 'nginx' },
  },
  { op: 'delete_entity', type: 'secret', key: 'db-password' },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

export const SESSION_EXAMPLE = { connector_id: 'cloud', sync_id: 'full-1', mode: 'diff' };

export const BATCH_EXAMPLE = {
  entities: [{ type: 'aws_ec2_instance', key: 'i-10', class: 'Host', properties: { os: 'linux' } }],
};
