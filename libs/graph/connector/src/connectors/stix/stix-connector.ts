import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE } from '../../run/step.ts';
import { readJsonText } from '../json-text.ts';
import { readStixBundle } from './stix-bundle.ts';

/**
 * STIX bundles, 2.0 and 2.1: each object is an entity by its STIX id, type `attack_pattern` for
 * `attack-pattern`; relationship objects are relationships (`attributed-to` is ATTRIBUTED_TO), keyed by their
 * id; references within objects (`created_by_ref`), at any depth, are relationships as well.
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
          const bundle = readStixBundle(await readJsonText(disk, context.config.file));
          await context.emitAll(bundle);
          for (const reference of bundle.external) context.external(reference);
          for (const reference of bundle.unresolved) context.unresolved(reference);
          for (const { types, reason } of bundle.skipped) {
            if (types.length > 0) context.incomplete(types, reason);
            else context.warn(reason);
          }
          for (const [kind, count] of bundle.ignored) context.ignored(kind, count);
        },
      },
    ],
  });
}
