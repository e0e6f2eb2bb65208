import { dirname, resolve } from 'node:path';
import {
  integer,
  object,
  optional,
  parseTomlFile,
  readDocument,
  record,
  required,
  section,
  type Shape,
  string,
  withDefault,
} from '#platform/config';
import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { readTlsMaterial, type TlsMaterial } from '#platform/grpc';

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
  edge_id: required(EDGE_ID, 'name of this edge; its certificate must contain it'),
  labels: withDefault(record(LABEL, LABEL, { max: LABELS_MAX }), {}, 'labels of the edge for display'),
  workers: withDefault(
    integer({ min: 0, max: 256 }),
    0,
    'number of signing threads; 0: one per core except one',
  ),
  hive: required(
    object({ address: required(string('host:port', ADDRESS), 'address of the hive for edges') }),
    'connection to the hive',
  ),
  tls: optional(
    object({
      ca: required(PATH, 'CA certificate of the hive, PEM'),
      cert: required(PATH, 'certificate of this edge, PEM'),
      key: required(PATH, 'private key of this edge, PEM'),
    }),
    'mutual TLS with the hive; paths are relative to this file',
  ),
  metrics: section(
    object({
      address: optional(
        string('host:port', ADDRESS),
        'address of /metrics and /health; port 0 selects a free one',
      ),
    }),
    'HTTP server of this edge',
  ),
  telemetry: section(
    object({
      buffer_size: withDefault(
        integer({ min: 1_024, max: 16_777_216 }),
        65_536,
        'number of buffered events; further events are dropped and counted',
      ),
      batch_size: withDefault(integer({ min: 1, max: 32_768 }), 1_024, 'maximum number of events in a batch'),
      flush_ms: withDefault(
        integer({ min: 10, max: 10_000 }),
        200,
        'maximum time before a partial batch is sent',
      ),
    }),
    'transfer of telemetry to the hive',
  ),
  rpc: section(
    object({
      connections: withDefault(
        integer({ min: 1, max: 65_536 }),
        4_096,
        'maximum number of connections to the sequencer, and of unanswered transactions',
      ),
    }),
    'JSON-RPC',
  ),
});

/** The parsed edge.toml. */
export type EdgeConfig = typeof EDGE_SHAPE extends Shape<infer T> ? T : never;

/** Reads and checks edge.toml. Throws INVALID_CONFIG with all its faults, or the reason it is unreadable. */
export async function readEdgeFile(disk: Disk, file: string): Promise<EdgeConfig> {
  return readDocument(EDGE_SHAPE, parseTomlFile(await readText(disk, file), file), file);
}

/** The files named by `tls`, relative to edge.toml. Throws INVALID_CONFIG for an unreadable file. */
export async function readTlsFiles(
  disk: Disk,
  file: string,
  { tls }: EdgeConfig,
): Promise<TlsMaterial | undefined> {
  if (tls === undefined) return undefined;
  const beside = (path: string): string => resolve(dirname(file), path);
  return readTlsMaterial(disk, { ca: beside(tls.ca), cert: beside(tls.cert), key: beside(tls.key) });
}

async function readText(disk: Disk, file: string): Promise<string> {
  try {
    return await disk.readText(file);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw new DomainError('INVALID_CONFIG', `${file}: cannot be read: ${error.code}`, { cause: error });
  }
}
