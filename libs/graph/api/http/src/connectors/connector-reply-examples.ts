/** Replies of the synthetic connector with its defaults; a test compares them. */
const RUN_ID = '5f17256e-c6a0-406f-8cc6-5441d949475d';
const STARTED_AT = '2026-11-21T06:00:00.000Z';
const ENDED_AT = '2026-11-21T06:00:00.037Z';
const NONE = { entities: 0, relationships: 0 };

const STEPS = [
  { id: 'hosts', wave: 1, entities: 100, relationships: 0 },
  { id: 'services', wave: 1, entities: 50, relationships: 0 },
  { id: 'users', wave: 1, entities: 20, relationships: 0 },
  { id: 'runs', description: 'which host runs which services', wave: 2, entities: 0, relationships: 197 },
  { id: 'owns', description: 'who owns which host', wave: 2, entities: 0, relationships: 100 },
];

const SYNC = {
  sync_id: RUN_ID,
  entities_created: 170,
  entities_updated: 0,
  entities_unchanged: 0,
  entities_deleted: 0,
  relationships_created: 297,
  relationships_updated: 0,
  relationships_unchanged: 0,
  relationships_deleted: 0,
  warnings: [],
};

const RUN = {
  run_id: RUN_ID,
  connector_id: 'demo',
  started_at: STARTED_AT,
  mapped: 0,
  partial_types: [],
  unresolved_count: 0,
  external_count: 0,
  ignored: {},
  warnings: [],
  warning_count: 0,
};

export const BEGUN_RUN_EXAMPLE = {
  ...RUN,
  ended_at: null,
  status: 'collecting',
  ...NONE,
  steps: STEPS.map((step) => ({
    ...step,
    ...NONE,
    status: step.wave === 1 ? 'running' : 'waiting',
    attempts: step.wave === 1 ? 1 : 0,
    duration_ms: 0,
  })),
};

export const RUN_EXAMPLE = {
  ...RUN,
  ended_at: ENDED_AT,
  status: 'complete',
  entities: 170,
  relationships: 297,
  steps: STEPS.map((step) => ({ ...step, status: 'done', attempts: 1, duration_ms: 7 })),
  sync: SYNC,
};

export const STOPPED_RUN_EXAMPLE = {
  ...RUN,
  ended_at: ENDED_AT,
  status: 'aborted',
  reason: 'the run was stopped',
  ...NONE,
  steps: [
    {
      ...STEPS[0],
      ...NONE,
      status: 'failed',
      attempts: 1,
      duration_ms: 7,
      reason: 'the run was stopped',
    },
    ...STEPS.slice(1).map((step) => ({ ...step, ...NONE, status: 'waiting', attempts: 0, duration_ms: 0 })),
  ],
};

export const RUN_LIST_EXAMPLE = { count: 1, runs: [RUN_EXAMPLE] };

export const CONNECTOR_LIST_EXAMPLE = {
  count: 1,
  connectors: [
    {
      id: 'demo',
      connector: 'synthetic',
      description: 'generated hosts, services and users, equal for equal seeds',
      schedule: 'manual',
      running: false,
      fault: null,
      file: { name: 'demo.yaml', state: 'current', fault: null },
      last_run: RUN_EXAMPLE,
      last_sync: { ...SYNC, synced_at: ENDED_AT },
    },
  ],
};
