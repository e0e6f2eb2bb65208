import { HaproxyFault } from './runtime-socket.ts';

export interface HaproxyServerState {
  /** The configured name from which the address was resolved. */
  readonly fqdn: string | undefined;
  readonly port: string;
  /** Disabled by `set server … state`, not by the configuration or by checks. */
  readonly isSwitchedOff: boolean;
}

/** Bits of `srv_admin_state`: forced maintenance, forced drain. */
const SWITCHED_OFF = 0x01 | 0x08;
const FORMAT_VERSION = '1';

/**
 * Parses `show servers state` by backend and server: {@link stateKey}. Throws {@link HaproxyFault} for an
 * invalid text.
 */
export function parseServerStates(text: string): ReadonlyMap<string, HaproxyServerState> {
  const [version, header = '', ...lines] = text.split('\n');
  if (version !== FORMAT_VERSION || !header.startsWith('# ')) {
    throw new HaproxyFault('show servers state: expected format 1');
  }
  const columns = header.slice(2).split(' ');
  const rows = lines.filter((line) => line !== '').map((line) => rowOf(columns, line.split(' ')));
  return new Map(rows.map((row) => [stateKey(row('be_name'), row('srv_name')), stateOf(row)]));
}

export function stateKey(backend: string, server: string): string {
  return `${backend}/${server}`;
}

type Row = (column: string) => string;

function rowOf(columns: readonly string[], cells: readonly string[]): Row {
  if (cells.length !== columns.length) {
    throw new HaproxyFault(`show servers state: expected ${columns.length} columns, got ${cells.length}`);
  }
  const byName = new Map(columns.map((name, index) => [name, cells[index] ?? '']));
  return (column) => byName.get(column) ?? '';
}

function stateOf(row: Row): HaproxyServerState {
  const fqdn = row('srv_fqdn');
  return {
    fqdn: fqdn === '-' || fqdn === '' ? undefined : fqdn,
    port: row('srv_port'),
    isSwitchedOff: (Number(row('srv_admin_state')) & SWITCHED_OFF) !== 0,
  };
}
