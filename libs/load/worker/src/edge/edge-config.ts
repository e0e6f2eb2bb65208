import {
  integer,
  object,
  optional,
  record,
  required,
  section,
  type Shape,
  string,
  withDefault,
} from '#platform/config';

const PORT = '(?:[1-9]\\d{0,4}|0)';
const ADDRESS = new RegExp(`^(?:\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9._-]{1,253}):${PORT}$`);
const EDGE_ID = string(
  '1 to 64 letters, digits, dots, dashes or underscores',
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
);
const PATH = string('a path');
const LABEL = string('a short text', /^[^\0-\x1f\x7f]{1,255}$/u);
const LABELS_MAX = 32;

/** All keys of edge.toml; docs/edge-toml.md shows them as a table. */
export const EDGE_SHAPE = object({
  edge_id: required(EDGE_ID, 'name of this edge; with certificates, the name in its own'),
  labels: withDefault(record(LABEL, LABEL, { max: LABELS_MAX }), {}, 'shown beside the edge, for people'),
  workers: withDefault(integer({ min: 0, max: 256 }), 0, 'threads that sign; 0: one for each core but one'),
  hive: required(
    object({ address: required(string('host:port', ADDRESS), 'where the hive takes edges') }),
    'the hive',
  ),
  tls: optional(
    object({
      ca: required(PATH, 'certificate of the authority that vouches for the hive, PEM'),
      cert: required(PATH, 'certificate of this edge, PEM'),
      key: required(PATH, 'its private key, PEM'),
    }),
    'mutual TLS with the hive; paths are relative to this file',
  ),
  metrics: section(
    object({ address: optional(string('host:port', ADDRESS), 'serves /metrics and /health; port 0: any') }),
    'HTTP of this edge',
  ),
  telemetry: section(
    object({
      buffer_size: withDefault(
        integer({ min: 1_024, max: 16_777_216 }),
        65_536,
        'events that wait for the hive; beyond it the newest are dropped, and counted',
      ),
      batch_size: withDefault(integer({ min: 1, max: 32_768 }), 1_024, 'events of one batch, at most'),
      flush_ms: withDefault(integer({ min: 10, max: 10_000 }), 200, 'a batch leaves after that, full or not'),
    }),
    'what is measured, on its way to the hive',
  ),
  rpc: section(
    object({
      connections: withDefault(
        integer({ min: 1, max: 65_536 }),
        4_096,
        'connections to the sequencer, and so transactions unanswered, at most',
      ),
    }),
    'JSON-RPC',
  ),
});

/** What edge.toml says. */
export type EdgeConfig = typeof EDGE_SHAPE extends Shape<infer T> ? T : never;
