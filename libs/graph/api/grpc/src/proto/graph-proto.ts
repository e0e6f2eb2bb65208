import { loadSync, type Options, type PackageDefinition } from '@grpc/proto-loader';
import { protoPath as healthProtoPath } from 'grpc-health-check';
import { createRequire } from 'node:module';
import { measured, reflected } from '#platform/grpc';

/** The package's name in the protocol. */
export const GRAPH_PACKAGE = 'plexus.graph.v1';

/** The service's name in the package. */
export const GRAPH_SERVICE = 'Graph';

/** Maximum of records, properties and values in one message: each takes some hundred bytes while decoded. */
const PARTS_MAX = 500_000;

/** 64-bit integers as text, which is exact. */
const LOADING: Options = { longs: String, enums: String, defaults: true, oneofs: true };

const GRAPH_PROTO_PATH = createRequire(import.meta.url).resolve('#proto/graph.proto');

export function loadGraphProto(): PackageDefinition {
  return measured(loadSync(GRAPH_PROTO_PATH, LOADING), PARTS_MAX);
}

/** Both services of the server, for reflection. */
export function reflectedProtos(): PackageDefinition {
  const read = (path: string): PackageDefinition => reflected(loadSync(path, { keepCase: true }));
  return { ...read(GRAPH_PROTO_PATH), ...read(healthProtoPath) };
}
