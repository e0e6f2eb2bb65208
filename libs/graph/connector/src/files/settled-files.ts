import type { ConfiguredConnector } from '../config/read-connector.ts';
import type { PlacedConnectorFault } from './check-connector.ts';

/** A connector file as it was read, or with the connector of it that is in use. */
export interface ReadFile {
  readonly name: string;
  readonly connector: ConfiguredConnector | undefined;
  readonly fault: PlacedConnectorFault | undefined;
}

/**
 * The files with the connectors that are used from now on. What cannot run replaces nothing that can: a
 * faulty file keeps its connector of before, and an id stays with the file that has it.
 */
export function settledFiles(read: readonly ReadFile[], before: readonly ReadFile[]): readonly ReadFile[] {
  const connectors = new Map(before.map(({ name, connector }) => [name, connector]));
  const judged = read.map((file) => judgedFile(file, connectors.get(file.name)));
  const holders = new Map<string, string>();
  for (const { name, connector, fault } of judged) {
    const held = connectors.get(name)?.id;
    if (held !== undefined && (fault !== undefined || connector?.id === held)) holders.set(held, name);
  }
  return judged.map((file) => {
    const { name, connector, fault } = file;
    if (fault !== undefined) return { ...file, connector: connectors.get(name) };
    const id = connector?.id ?? '';
    const holder = holders.get(id) ?? name;
    if (holder === name) {
      holders.set(id, name);
      return file;
    }
    const own = connectors.get(name);
    const isFree = own !== undefined && (holders.get(own.id) ?? name) === name;
    if (isFree) holders.set(own.id, name);
    const taken = { line: null, column: null, message: `the id ${id} is taken by ${holder}` };
    return { name, connector: isFree ? own : undefined, fault: taken };
  });
}

/** A connector that cannot run, such as for an unset variable, is a fault beside one that could. */
function judgedFile(file: ReadFile, before: ConfiguredConnector | undefined): ReadFile {
  const reason = file.connector?.fault;
  if (reason === undefined || before === undefined || before.fault !== undefined) return file;
  return { ...file, connector: undefined, fault: { line: null, column: null, message: reason } };
}
