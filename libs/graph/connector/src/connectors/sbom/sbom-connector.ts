import { type EntityInput, FieldPath } from '#graph/model';
import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE, type EntityDraft } from '../../run/step.ts';
import { parseJsonObject, readJsonText } from '../json-text.ts';
import type { Bill } from './bill-builder.ts';
import { readCycloneDx } from './cyclonedx.ts';
import { readPackageLock } from './read-package-lock.ts';
import { readSpdx } from './spdx.ts';

/** A software bill of materials: CycloneDX or SPDX JSON, or npm's lock file, detected from the text. */
export function sbomConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'sbom',
    about: 'a software bill of materials: CycloneDX JSON, SPDX JSON, or package-lock.json',
    config: { file: fileField({ about: 'path of the SBOM, relative to this file' }) },
    steps: () => [
      {
        id: 'bill',
        description: 'packages, licences and dependencies',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const bill = readBill(await readJsonText(disk, context.config.file));
          await context.emitAll(bill);
          for (const { verb, reason } of bill.lost) context.incomplete([verb], reason);
        },
      },
    ],
  });
}

function readBill(text: string): Bill {
  const document = parseJsonObject(text, 'a software bill of materials');
  if (document['bomFormat'] === 'CycloneDX') return readCycloneDx(document);
  if ('spdxVersion' in document || '@graph' in document) return readSpdx(document);
  if ('lockfileVersion' in document) return readLock(text);
  throw new FieldPath().fault(
    'bomFormat',
    'expected "CycloneDX", the spdxVersion of SPDX, or the lockfileVersion of a package-lock.json',
  );
}

function readLock(text: string): Bill {
  const { entities, relationships, unresolved } = readPackageLock(text);
  const lost = unresolved.map(({ from, name, range }) => ({
    verb: 'DEPENDS_ON',
    reason: `${from} asks for ${name} ${range}, which is not there`,
  }));
  return { entities: entities.map(draftOf), relationships, lost };
}

function draftOf({ type, key, class: className, displayName, properties }: EntityInput): EntityDraft {
  return { type, key, class: className, display_name: displayName, properties };
}
