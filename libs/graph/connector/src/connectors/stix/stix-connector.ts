import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE } from '../../step/step.ts';
import { readStixBundle } from './stix-bundle.ts';

/**
 * STIX 2.1 bundles: each object is an entity by its STIX id, type `attack_pattern` for `attack-pattern`;
 * relationship objects are relationships (`attributed-to` is ATTRIBUTED_TO), keyed by their id; references
 * within objects (`created_by_ref`) are relationships as well.
 */
export function stixConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'stix',
    about: 'a STIX 2.1 bundle, MITRE ATT&CK for example',
    config: { file: fileField({ about: 'path of the bundle, relative to this file' }) },
    steps: () => [
      {
        id: 'bundle',
        description: 'objects and relationships of the bundle',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const bundle = readStixBundle(await disk.readText(context.config.file));
          await context.emitAll(bundle);
          for (const { verb, reason } of bundle.lost) context.incomplete([verb], reason);
        },
      },
    ],
  });
}
