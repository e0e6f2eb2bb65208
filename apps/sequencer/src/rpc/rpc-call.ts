/**
 * JSON-RPC 2.0 like in geth: positional parameters only; a request without `id` is a notification, which
 * gets no response.
 */
import { RPC_CODE, RpcFault } from './rpc-fault.ts';

/** The id of a call as JSON text. */
export type CallId = string;

export interface RpcCall {
  /** Undefined for a notification. */
  readonly id: CallId | undefined;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One entry of a request body: a call, or its error. */
export type RpcEntry = RpcCall | { readonly id: CallId; readonly fault: RpcFault };

/** A body: one entry, or a batch of them, executed one after another. */
export type RpcBody = { readonly single: RpcEntry } | { readonly batch: readonly RpcEntry[] };

const BATCH_MAX = 1_000;
const NO_ID: CallId = 'null';

/** Parses the body of a request. Never throws. */
export function parseBody(text: string): RpcBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { single: { id: NO_ID, fault: new RpcFault(RPC_CODE.parseError, 'parse error') } };
  }
  if (!Array.isArray(value)) return { single: entryOf(value) };
  if (value.length === 0) return { single: invalid('empty batch') };
  if (value.length > BATCH_MAX) return { single: invalid('batch too large') };
  return { batch: value.map(entryOf) };
}

function entryOf(value: unknown): RpcEntry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid('invalid request');
  const { jsonrpc, id, method, params } = value as Readonly<Record<string, unknown>>;
  const callId = idOf(id);
  if (jsonrpc !== '2.0' || typeof method !== 'string' || callId === null) return invalid('invalid request');
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    return { id: callId ?? NO_ID, fault: new RpcFault(RPC_CODE.invalidParams, 'non-array args') };
  }
  return { id: callId, method, params: (params as unknown[] | null | undefined) ?? [] };
}

/** Undefined without an id, null if it is invalid. */
function idOf(id: unknown): CallId | undefined | null {
  if (id === undefined) return undefined;
  return typeof id === 'string' || typeof id === 'number' || id === null ? JSON.stringify(id) : null;
}

function invalid(message: string): RpcEntry {
  return { id: NO_ID, fault: new RpcFault(RPC_CODE.invalidRequest, message) };
}
