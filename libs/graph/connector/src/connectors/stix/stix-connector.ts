import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE, type StepContext } from '../../run/step.ts';
import { sourceFiles } from '../document/source-files.ts';
import { unknownPart } from '../document/unknown-part.ts';
import { readSourceFile } from '../document/source-file.ts';
import { readStixBundles, stixObjectsIn, type StixObjects } from './stix-bundle.ts';

/**
 * STIX bundles, envelopes of TAXII and lists, 2.0 and 2.1: each object is an entity by its STIX id, type
 * `attack_pattern` for `attack-pattern`; relationship objects are relationships (`attributed-to` is
 * ATTRIBUTED_TO), keyed by their id; references within objects (`created_by_ref`), at any depth, are
 * relationships as well.
 */
export function stixConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'stix',
    about: 'STIX 2.1 bundles, MITRE ATT&CK for example, or envelopes of TAXII',
    config: { file: fileField({ about: 'path of a file, directory or pattern, relative to this file' }) },
    // The objects of a bundle are of any type.
    vocabulary: { entities: { '*': 'name *' }, relationships: { '* * *': '*' } },
    steps: () => [
      {
        id: 'bundle',
        description: 'objects and relationships of the bundle',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const bundle = readStixBundles(await documentsOf(disk, context));
          await context.emitAll(bundle);
          for (const reference of bundle.external) context.external(reference);
          for (const reference of bundle.unresolved) context.unresolved(reference);
          for (const { types, reason } of bundle.skipped) {
            if (types.length > 0) context.incomplete(types, reason);
            else context.unread(unknownPart(reason));
          }
          for (const [kind, count] of bundle.ignored) context.ignored(kind, count);
        },
      },
    ],
  });
}

/** Of a directory, files with other names are counted, and not read. */
async function documentsOf(
  disk: Disk,
  context: StepContext<{ readonly file: string }>,
): Promise<readonly StixObjects[]> {
  const { file: source } = context.config;
  const { files, areOfDirectory } = await sourceFiles(disk, source);
  const documents: StixObjects[] = [];
  for (const file of files) {
    context.signal.throwIfAborted();
    if (areOfDirectory && !file.endsWith('.json')) context.ignored('files with other names');
    else documents.push(await readSourceFile(disk, { file, source }, stixObjectsIn));
  }
  return documents;
}
