import type { ParseOptions } from '#model';
import type { BulkOperation, SessionBatch, SyncRequest, SyncScope, WriteRequest } from './requests.ts';

/** Bodies as REST takes them (snake_case). Each throws INVALID_REQUEST or NESTED_PROPERTY, naming the field. */
export function parseWriteRequest(_body: unknown, _options?: ParseOptions): WriteRequest {
  throw new Error('not yet');
}

export function parseSyncRequest(_body: unknown, _options?: ParseOptions): SyncRequest {
  throw new Error('not yet');
}

export function parseSyncScope(_body: unknown): SyncScope {
  throw new Error('not yet');
}

export function parseSessionBatch(_body: unknown, _options?: ParseOptions): SessionBatch {
  throw new Error('not yet');
}

/** One parsed line of a bulk load: `{op, …}` with the fields of the record or reference beside `op`. */
export function parseBulkOperation(_line: unknown, _options?: ParseOptions): BulkOperation {
  throw new Error('not yet');
}
