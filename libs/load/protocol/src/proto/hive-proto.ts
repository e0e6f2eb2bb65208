import { type GrpcObject, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync, type Options, type PackageDefinition } from '@grpc/proto-loader';
import { createRequire } from 'node:module';
import { assert } from '#platform/foundation';
import { utf8Only } from '#platform/grpc';

/** The protobuf package name. */
export const HIVE_PACKAGE = 'plexus.hive.v1';

/** 64-bit integers are counts and times, which are exact as numbers below 2^53. */
const LOADING: Options = { longs: Number, defaults: true, oneofs: true };

const HIVE_PROTO_PATH = createRequire(import.meta.url).resolve('#proto/hive.proto');

export function loadHiveProto(): PackageDefinition {
  return utf8Only(loadSync(HIVE_PROTO_PATH, LOADING));
}

let constructor: ServiceClientConstructor | undefined;

/** The constructor of service stubs. The protocol is parsed only once, which takes milliseconds. */
export function hiveClientConstructor(): ServiceClientConstructor {
  return (constructor ??= loadConstructor());
}

function loadConstructor(): ServiceClientConstructor {
  const found = HIVE_PACKAGE.split('.').reduce<GrpcObject[string] | undefined>(
    (owner, name) => (owner as GrpcObject | undefined)?.[name],
    loadPackageDefinition(loadHiveProto()),
  );
  const service = (found as GrpcObject | undefined)?.['Hive'];
  assert(typeof service === 'function', 'hive.proto defines the service Hive');
  return service;
}
