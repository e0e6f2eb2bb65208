import { createFileImports, type ImportReply, readConnectors, UploadedFile } from '#graph/connector';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import type { GraphSettings } from '../../settings.ts';
import { commandLog } from '../target/command-log.ts';
import { openOrCreateGraph } from '../target/local-target.ts';

interface LocalImport {
  readonly fileName: string | undefined;
  readonly source: string | undefined;
  readonly config: object | undefined;
  readonly dryRun: boolean;
  readonly force: boolean;
}

/** Imports a file into the data directory of the settings. */
export async function importLocally(
  settings: GraphSettings,
  order: LocalImport,
  { bytes, onRead }: { readonly bytes: Uint8Array; readonly onRead: (bytes: number) => void },
): Promise<ImportReply> {
  const log = commandLog(settings);
  const options = { environment: readEnvironment(), log };
  const connectors = await readConnectors(settings.connectors, new NodeDisk(), options);
  const graph = await openOrCreateGraph(settings, log);
  try {
    const isConfigured = (id: string): boolean => connectors.some((connector) => connector.id === id);
    const imports = await createFileImports(graph, isConfigured, log);
    const disk = new UploadedFile(order.fileName ?? '', bytes, onRead);
    return await imports.run({ ...order, disk, path: disk.path });
  } finally {
    await graph.close();
  }
}
