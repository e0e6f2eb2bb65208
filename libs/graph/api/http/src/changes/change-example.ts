import { EXAMPLE_ENTITY_ID } from '../record/record.dto.ts';

const AT = '2026-01-01T00:00:00.000Z';
const SOURCE = { connector_id: 'aws', sync_id: 'sync-2', synced_at: AT };

const CHANGE = {
  id: '8c1f0e5b7a9d2c3e4f60.1042.0',
  seq: 1042,
  at: AT,
  change: 'changed',
  source: SOURCE,
  fields: [{ name: 'state', old: 'running', new: 'stopped' }],
  entity: {
    id: EXAMPLE_ENTITY_ID,
    type: 'host',
    class: 'Host',
    key: 'web-01',
    display_name: 'web-01',
    properties: { env: 'prod', state: 'stopped' },
    source: SOURCE,
    created_at: AT,
    updated_at: AT,
    last_seen_at: AT,
    deleted_at: null,
    version: 2,
  },
};

/** A change, and the end of a stream of lines. */
export const CHANGE_EXAMPLE = [
  { position: { next: '8c1f0e5b7a9d2c3e4f60.1041' } },
  CHANGE,
  { end: { next: '8c1f0e5b7a9d2c3e4f60.1042' } },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

/** The change as an event. */
export const EVENT_EXAMPLE = `id: ${CHANGE.id}\nevent: change\ndata: ${JSON.stringify(CHANGE)}\n\n`;
