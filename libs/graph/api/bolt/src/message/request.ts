/** Requests of a client, read from their structures. */
import { type CypherMap } from '#graph/cypher';
import { invalidRequest } from '../failure/bolt-fault.ts';
import type { UnpackedMessage } from '../packstream/unpacker.ts';
import { parametersOf } from '../value/parameters.ts';
import type { UnusableValue, WireValue } from '../value/structure-reader.ts';
import type { Value } from '#graph/cypher';
import { REQUEST } from './tags.ts';

type Dictionary = ReadonlyMap<string, WireValue>;

/** What a transaction begins with, from BEGIN, or from RUN alone. */
export interface TransactionStart {
  readonly access: 'read' | 'write';
  readonly bookmarks: readonly string[];
  readonly timeoutMs: number | undefined;
  readonly metadata: CypherMap;
  /** Undefined for the default one. */
  readonly database: string | undefined;
  readonly user: string | undefined;
}

export interface Credentials {
  readonly scheme: string;
  readonly secret: string | undefined;
}

export type Request =
  | { readonly kind: 'hello'; readonly extra: Dictionary }
  | { readonly kind: 'logon'; readonly credentials: Credentials }
  | {
      readonly kind: 'run';
      readonly text: string;
      readonly parameters: CypherMap;
      readonly start: TransactionStart;
    }
  | { readonly kind: 'begin'; readonly start: TransactionStart }
  | { readonly kind: 'pull' | 'discard'; readonly count: number; readonly query: number }
  | { readonly kind: 'route'; readonly address: string | undefined; readonly database: string | undefined }
  | { readonly kind: 'commit' | 'rollback' | 'logoff' | 'reset' | 'goodbye' | 'telemetry' };

/** Throws a `BoltFault` for a request that is none, CYPHER_FAILED for a parameter that is no value. */
export function readRequest({ tag, fields }: UnpackedMessage<Value | UnusableValue>): Request {
  const [first = null, second = null, third = null] = fields;
  switch (tag) {
    case REQUEST.hello:
      return { kind: 'hello', extra: dictionary(first, 'HELLO') };
    case REQUEST.logon:
      return { kind: 'logon', credentials: credentialsOf(dictionary(first, 'LOGON')) };
    case REQUEST.run:
      return {
        kind: 'run',
        text: required(textOf(first, 'RUN: query'), 'RUN: query'),
        parameters: parametersOf(dictionary(second, 'RUN: parameters')),
        start: startOf(dictionary(third, 'RUN: extra'), 'RUN'),
      };
    case REQUEST.begin:
      return { kind: 'begin', start: startOf(dictionary(first, 'BEGIN'), 'BEGIN') };
    case REQUEST.pull:
      return { kind: 'pull', ...portionOf(dictionary(first, 'PULL'), 'PULL') };
    case REQUEST.discard:
      return { kind: 'discard', ...portionOf(dictionary(first, 'DISCARD'), 'DISCARD') };
    case REQUEST.route:
      return {
        kind: 'route',
        address: textOf(dictionary(first, 'ROUTE').get('address'), 'ROUTE: address'),
        database: nameOf(dictionary(third, 'ROUTE: extra').get('db'), 'ROUTE: db'),
      };
    case REQUEST.telemetry:
      return telemetry(first);
    default:
      return { kind: bareKind(tag) };
  }
}

export function credentialsOf(auth: Dictionary): Credentials {
  return {
    scheme: textOf(auth.get('scheme'), 'scheme') ?? 'none',
    secret: textOf(auth.get('credentials'), 'credentials'),
  };
}

/** A list of texts in a dictionary; null is an empty one. */
export function textsOf(value: WireValue | undefined, where: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalidRequest(`${where}: expected a list of texts`);
}

const BARE: ReadonlyMap<number, 'commit' | 'rollback' | 'logoff' | 'reset' | 'goodbye'> = new Map([
  [REQUEST.commit, 'commit'],
  [REQUEST.rollback, 'rollback'],
  [REQUEST.logoff, 'logoff'],
  [REQUEST.reset, 'reset'],
  [REQUEST.goodbye, 'goodbye'],
]);

function bareKind(tag: number): 'commit' | 'rollback' | 'logoff' | 'reset' | 'goodbye' {
  const kind = BARE.get(tag);
  if (kind !== undefined) return kind;
  throw invalidRequest(`expected a request of Bolt, got a message with the tag 0x${tag.toString(16)}`, true);
}

/** The highest kind of use that TELEMETRY names: 0 is a managed transaction, 3 `execute_query()`. */
const TELEMETRY_MAX = 3n;

function telemetry(api: WireValue): Request {
  if (typeof api === 'bigint' && api >= 0n && api <= TELEMETRY_MAX) return { kind: 'telemetry' };
  throw invalidRequest('TELEMETRY: expected an integer from 0 to 3');
}

function startOf(extra: Dictionary, where: string): TransactionStart {
  return {
    access: accessOf(textOf(extra.get('mode'), `${where}: mode`), where),
    bookmarks: textsOf(extra.get('bookmarks'), `${where}: bookmarks`),
    timeoutMs: timeoutOf(extra.get('tx_timeout'), where),
    metadata: parametersOf(dictionary(extra.get('tx_metadata'), `${where}: tx_metadata`)),
    database: nameOf(extra.get('db'), `${where}: db`),
    user: nameOf(extra.get('imp_user'), `${where}: imp_user`),
  };
}

function accessOf(mode: string | undefined, where: string): 'read' | 'write' {
  if (mode === 'r') return 'read';
  if (mode === 'w' || mode === undefined) return 'write';
  throw invalidRequest(`${where}: expected the mode r or w`);
}

/** 0 is no time-out of the client's own. */
function timeoutOf(value: WireValue | undefined, where: string): number | undefined {
  if (value === undefined || value === null || value === 0n) return undefined;
  if (typeof value === 'bigint' && value > 0n) return Number(value);
  throw invalidRequest(`${where}: expected tx_timeout to be an integer from 0`);
}

/** `n` of −1 is all, `qid` of −1 the last statement. */
function portionOf(extra: Dictionary, where: string): { readonly count: number; readonly query: number } {
  const [count, query] = [extra.get('n'), extra.get('qid') ?? -1n];
  if (typeof count !== 'bigint' || (count < 1n && count !== -1n)) {
    throw invalidRequest(`${where}: expected n to be an integer from 1, or -1`);
  }
  if (typeof query !== 'bigint') throw invalidRequest(`${where}: expected qid to be an integer`);
  return { count: count === -1n ? Infinity : Number(count), query: Number(query) };
}

function dictionary(value: WireValue | undefined, where: string): Dictionary {
  if (value === undefined || value === null) return new Map();
  if (value instanceof Map) return value as Dictionary;
  throw invalidRequest(`${where}: expected a map`);
}

function textOf(value: WireValue | undefined, where: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw invalidRequest(`${where}: expected a text`);
}

/** Reads an optional name; an empty one counts as missing. */
function nameOf(value: WireValue | undefined, where: string): string | undefined {
  const name = textOf(value, where);
  return name === '' ? undefined : name;
}

function required(text: string | undefined, where: string): string {
  if (text !== undefined) return text;
  throw invalidRequest(`${where}: expected a text, got null`);
}
