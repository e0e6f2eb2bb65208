/** Replies to the request of the example; a test compares them. */
export const IMPORT_CONFIG_EXAMPLE = {
  mapping: {
    type: 'host',
    key: 'hostname',
    properties: { os: 'os', cores: { column: 'cores', as: 'integer' } },
    relationships: [{ verb: 'OWNS', from: 'user', column: 'owner' }],
  },
};

export const IMPORT_EXAMPLE = {
  file_name: 'hosts.csv',
  content: 'hostname,os,cores,owner\nweb-1,linux,8,ann\nweb-2,linux,4,bob\n',
  dry_run: true,
};

const RUN_ID = '0b8b5be5-33d2-4b1f-8f5c-2f7ff23a7e54';
const AT = '2026-11-21T06:00:00.000Z';

const NONE = { records: [], more: 0 };
const CHANGES = {
  entities: {
    created: {
      records: [
        { type: 'host', key: 'web-1', display_name: 'web-1' },
        { type: 'host', key: 'web-2', display_name: 'web-2' },
        { type: 'user', key: 'ann', display_name: 'ann' },
        { type: 'user', key: 'bob', display_name: 'bob' },
      ],
      more: 0,
    },
    updated: NONE,
    deleted: NONE,
  },
  relationships: {
    created: {
      records: [
        { from: { type: 'user', key: 'ann' }, verb: 'OWNS', to: { type: 'host', key: 'web-1' } },
        { from: { type: 'user', key: 'bob' }, verb: 'OWNS', to: { type: 'host', key: 'web-2' } },
      ],
      more: 0,
    },
    updated: NONE,
    deleted: NONE,
  },
};

export const IMPORT_REPLY_EXAMPLE = {
  source: 'hosts',
  is_known: false,
  dry_run: true,
  connector: 'csv',
  format: 'CSV',
  config: IMPORT_CONFIG_EXAMPLE,
  columns: ['hostname', 'os', 'cores', 'owner'],
  sample: [
    ['web-1', 'linux', '8', 'ann'],
    ['web-2', 'linux', '4', 'bob'],
  ],
  run: {
    run_id: RUN_ID,
    connector_id: 'hosts',
    started_at: AT,
    ended_at: AT,
    status: 'complete',
    steps: [
      {
        id: 'rows',
        description: 'entities and relationships of the rows',
        wave: 1,
        status: 'done',
        attempts: 1,
        entities: 4,
        relationships: 2,
        duration_ms: 3,
      },
    ],
    entities: 4,
    relationships: 2,
    mapped: 0,
    partial_types: [],
    unresolved_count: 0,
    external_count: 0,
    ignored: {},
    warnings: [],
    warning_count: 0,
    sync: {
      sync_id: RUN_ID,
      entities_created: 4,
      entities_updated: 0,
      entities_unchanged: 0,
      entities_deleted: 0,
      relationships_created: 2,
      relationships_updated: 0,
      relationships_unchanged: 0,
      relationships_deleted: 0,
      warnings: [],
      changes: CHANGES,
    },
  },
};

export const IMPORT_SOURCE_LIST_EXAMPLE = {
  count: 1,
  sources: [
    {
      id: 'hosts',
      connector: 'csv',
      format: 'CSV',
      config: IMPORT_CONFIG_EXAMPLE,
      file_name: 'hosts.csv',
      imported_at: AT,
      status: 'complete',
    },
  ],
};
