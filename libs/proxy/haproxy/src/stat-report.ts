import type { StatusClassCounts } from '#proxy/engine';
import { type CsvRow, parseCsvTable } from './csv-table.ts';
import { HaproxyFault } from './runtime-socket.ts';

export interface FrontendRow {
  readonly name: string;
  readonly mode: string;
  readonly connectionsNow: number;
  readonly connectionsTotal: number;
  /** Rejected by connection rules, before there is a request. */
  readonly connectionsDenied: number;
  readonly requestErrors: number;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly responses: StatusClassCounts;
}

export interface BackendRow {
  readonly name: string;
  readonly algorithm: string;
  readonly retries: number;
}

export interface ServerRow {
  readonly backend: string;
  readonly name: string;
  /** `host:port`; empty when the level of the socket does not show it. */
  readonly address: string;
  /** Status in HAProxy's notation: `UP`, `DOWN 1/2`, `no check`, `MAINT (via a/b)`. */
  readonly status: string;
  readonly mode: string;
  readonly requestsNow: number;
  readonly requestsTotal: number;
  readonly connectFailures: number;
  readonly responseErrors: number;
  readonly clientAborts: number;
  /** Idle connections, kept for the next request. */
  readonly connectionsIdle: number;
  readonly connectionsReused: number;
  readonly weight: number;
  readonly responses: StatusClassCounts;
  readonly check: CheckRow | undefined;
}

export interface CheckRow {
  /** A result such as `L7OK` or `L4CON`. */
  readonly result: string;
  readonly description: string;
  readonly durationMs: number;
  readonly failures: number;
}

/** The content of `show stat`. */
export interface StatReport {
  readonly frontends: readonly FrontendRow[];
  readonly backends: readonly BackendRow[];
  readonly servers: readonly ServerRow[];
}

const TYPE = { frontend: '0', backend: '1', server: '2' } as const;

/** Throws {@link HaproxyFault} for an invalid text. */
export function parseStatReport(text: string): StatReport {
  const rows = parseCsvTable(text);
  if (rows === undefined) throw new HaproxyFault('show stat: expected a table');
  const ofType = (type: string): readonly CsvRow[] => rows.filter((row) => cell(row, 'type') === type);
  return {
    frontends: ofType(TYPE.frontend).map(frontendOf),
    backends: ofType(TYPE.backend).map(backendOf),
    servers: ofType(TYPE.server).map(serverOf),
  };
}

function frontendOf(row: CsvRow): FrontendRow {
  return {
    name: cell(row, 'pxname'),
    mode: cell(row, 'mode'),
    connectionsNow: count(row, 'scur'),
    connectionsTotal: count(row, 'conn_tot'),
    connectionsDenied: count(row, 'dcon') + count(row, 'dses'),
    requestErrors: count(row, 'ereq'),
    bytesReceived: count(row, 'bin'),
    bytesSent: count(row, 'bout'),
    responses: responsesOf(row),
  };
}

function backendOf(row: CsvRow): BackendRow {
  return { name: cell(row, 'pxname'), algorithm: cell(row, 'algo'), retries: count(row, 'wretr') };
}

function serverOf(row: CsvRow): ServerRow {
  return {
    backend: cell(row, 'pxname'),
    name: cell(row, 'svname'),
    address: cell(row, 'addr'),
    status: cell(row, 'status'),
    mode: cell(row, 'mode'),
    requestsNow: count(row, 'scur'),
    requestsTotal: count(row, 'stot'),
    connectFailures: count(row, 'econ'),
    responseErrors: count(row, 'eresp'),
    clientAborts: count(row, 'cli_abrt'),
    connectionsIdle: count(row, 'srv_icur'),
    connectionsReused: count(row, 'reuse'),
    weight: count(row, 'weight'),
    responses: responsesOf(row),
    check: checkOf(row),
  };
}

/** While a check runs, a `*` precedes the result of the previous one. */
function checkOf(row: CsvRow): CheckRow | undefined {
  const result = cell(row, 'check_status').replace(/^\* /, '');
  if (result === '') return undefined;
  const durationMs = count(row, 'check_duration');
  return { result, description: cell(row, 'last_chk'), durationMs, failures: count(row, 'chkfail') };
}

function responsesOf(row: CsvRow): StatusClassCounts {
  return {
    '1xx': count(row, 'hrsp_1xx'),
    '2xx': count(row, 'hrsp_2xx'),
    '3xx': count(row, 'hrsp_3xx'),
    '4xx': count(row, 'hrsp_4xx'),
    '5xx': count(row, 'hrsp_5xx'),
  };
}

function cell(row: CsvRow, column: string): string {
  return row.get(column) ?? '';
}

/** Zero when the row has no such number. */
function count(row: CsvRow, column: string): number {
  const text = cell(row, column);
  if (!/^\d{0,20}$/.test(text)) throw new HaproxyFault(`show stat: ${column}: expected a number`);
  return Number(text);
}
