import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE } from '../../run/step.ts';
import { type JsonFile, withJsonFiles } from './bloodhound-files.ts';
import { BloodHoundReader } from './bloodhound-reader.ts';

const TIMEOUT_MS = 3_600_000;

/**
 * Collections of SharpHound and AzureHound, and OpenGraph: objects and rights of a domain, of Azure, and of
 * anything else, under BloodHound's kinds and names of edges.
 */
export function bloodhoundConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'bloodhound',
    about: 'collections of SharpHound and AzureHound, and OpenGraph: objects, sessions and rights',
    config: {
      file: fileField({
        about: 'path of a zip, a JSON file, a directory or a pattern, relative to this file',
      }),
    },
    vocabulary: {
      entities: { '*': 'objectid *' },
      relationships: { '* * *': 'isacl isinherited *' },
    },
    steps: () => [
      {
        id: 'collection',
        description: 'objects, and the edges between them',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        timeoutMs: TIMEOUT_MS,
        async run(context) {
          const reader = new BloodHoundReader(context);
          const pass = (
            use: (file: JsonFile) => Promise<void>,
            onOther = (): void => undefined,
          ): Promise<void> => withJsonFiles(disk, context.config.file, { use, onOther });
          await pass(
            (file) => reader.describe(file),
            () => context.ignored('files with other names'),
          );
          await pass((file) => reader.readObjects(file));
          reader.seeNamed();
          await pass((file) => reader.emit(file));
          reader.finish();
        },
      },
    ],
  });
}
