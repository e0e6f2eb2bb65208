/** What operations answered; `UPDATE_GOLDEN=1` on their test writes it anew. */
export const DIFF_REPLY_EXAMPLES = {
  diff: {
    value: {
      from: 0,
      to: 1,
      changes: [
        {
          record: 'entity',
          id: '1abf9e211bb5820bd3943bc230e8f9ca',
          type: 'secret',
          key: 'db-password',
          class: 'Secret',
          display_name: 'db-password',
          change: 'created',
          at: '2026-11-27T16:46:43.409Z',
          seq: 1,
          source: { connector_id: 'test', sync_id: 'estate-1', synced_at: '2026-11-27T16:46:43.406Z' },
          fields: [
            { name: 'class', new: 'Secret', source: 'test', at: '2026-11-27T16:46:43.409Z' },
            { name: 'display_name', new: 'db-password', source: 'test', at: '2026-11-27T16:46:43.409Z' },
            { name: 'name', new: 'db-password', source: 'test', at: '2026-11-27T16:46:43.409Z' },
            { name: 'rotated_days', new: 400, source: 'test', at: '2026-11-27T16:46:43.409Z' },
          ],
        },
        {
          record: 'relationship',
          id: 'd5087b8ec55d070c4df3da54602c0fba',
          verb: 'USES',
          from: { id: 'afe34b831687ec491ef6edc3b2bac6b9', type: 'service', key: 'postgres' },
          to: { id: '1abf9e211bb5820bd3943bc230e8f9ca', type: 'secret', key: 'db-password' },
          change: 'created',
          at: '2026-11-27T16:46:43.409Z',
          seq: 1,
          source: { connector_id: 'test', sync_id: 'estate-1', synced_at: '2026-11-27T16:46:43.406Z' },
          fields: [{ name: '_verb', new: 'USES', source: 'test', at: '2026-11-27T16:46:43.409Z' }],
        },
      ],
      warnings: [],
    },
  },
  diffQuery: {
    value: {
      from: 0,
      to: 1,
      came: 1,
      went: 0,
      rows: [{ change: 'came', row: { _key: 'edr-1' } }],
      columns: ['_key'],
      warnings: [{ code: 'UNKNOWN_CLASS', message: 'no class or type `edr_agent` is known', position: 5 }],
    },
  },
  diffFindings: {
    value: {
      from: 1,
      to: 10,
      opened: 0,
      closed: 0,
      score: {
        before: {
          overall_score: 0,
          weighted_score: 0,
          rules_with_data: 2,
          rules_without_data: 0,
          rules_waived: 0,
        },
        after: {
          overall_score: 0,
          weighted_score: 0,
          rules_with_data: 2,
          rules_without_data: 0,
          rules_waived: 0,
        },
      },
      rules: [],
    },
  },
  getEntityChanges: {
    value: {
      changes: [
        {
          change: 'created',
          at: '2026-11-27T16:46:43.409Z',
          seq: 1,
          source: { connector_id: 'test', sync_id: 'estate-1', synced_at: '2026-11-27T16:46:43.406Z' },
          fields: [
            { name: 'class', new: 'Host' },
            { name: 'cpu', new: 8 },
            { name: 'display_name', new: 'web-01' },
            { name: 'env', new: 'prod' },
            { name: 'name', new: 'web-01' },
            { name: 'os', new: 'linux' },
            { name: 'owner', new: 'alice' },
            { name: 'region', new: 'us-east-1' },
            { name: 'state', new: 'running' },
          ],
        },
      ],
    },
  },
};
