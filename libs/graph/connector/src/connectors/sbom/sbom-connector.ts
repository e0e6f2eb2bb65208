import { type EntityInput, type EntityKey, FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE, type EntityDraft, type RelationshipDraft } from '../../run/step.ts';
import { parseJsonObject, readJsonText } from '../json-text.ts';
import type { Bill, ExternalReference } from './bill-builder.ts';
import { readCycloneDx } from './cyclonedx.ts';
import { linkedComponents } from './linked-bills.ts';
import { readPackageLock } from './read-package-lock.ts';
import { readSpdx } from './spdx.ts';
import { refuseUnreadDocuments, refuseUnreadFormats } from './unread-formats.ts';

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
          const { file } = context.config;
          const bill = readBill(await readJsonText(disk, file));
          const linked = await linkedComponents(
            disk,
            file,
            bill.external.map(({ reference }) => reference),
          );
          await context.emitAll(bill);
          for (const reference of bill.unresolved) context.unresolved(reference);
          for (const reference of bill.external) {
            const target = linked.get(reference.reference);
            if (target !== undefined) context.emitRelationship(relationshipTo(target, reference));
            context.external(reference);
          }
          for (const [kind, count] of bill.ignored) context.ignored(kind, count);
          for (const warning of bill.warnings) context.warn(warning);
        },
      },
    ],
  });
}

function readBill(text: string): Bill {
  refuseUnreadFormats(text);
  const parsed = parseJsonObject(text, 'a software bill of materials in JSON');
  // As GitHub's REST API returns it.
  const document = isJsonObject(parsed['sbom']) ? parsed['sbom'] : parsed;
  if (isCycloneDx(document)) return readCycloneDx(document);
  if ('spdxVersion' in document) return readSpdx(document);
  if ('lockfileVersion' in document) return readLock(text);
  refuseUnreadDocuments(document);
  throw new FieldPath().fault(
    'bomFormat',
    'expected "CycloneDX", the spdxVersion of SPDX, or the lockfileVersion of a package-lock.json',
  );
}

/** Some tools leave the format out. */
function isCycloneDx({ bomFormat, $schema, specVersion }: JsonObject): boolean {
  const isNamed = typeof $schema === 'string' && /cyclonedx/i.test($schema) && specVersion !== undefined;
  return bomFormat === 'CycloneDX' || (bomFormat === undefined && isNamed);
}

function readLock(text: string): Bill {
  const { entities, relationships, unresolved, warnings } = readPackageLock(text);
  const references = unresolved.map(({ from, name, range }) => ({
    owner: from,
    end: 'from' as const,
    verb: 'DEPENDS_ON',
    reason: `${from.key} asks for ${name} ${range}, which is not there`,
  }));
  const external: Bill['external'] = [];
  const ignored: Bill['ignored'] = new Map();
  return {
    entities: entities.map(draftOf),
    relationships,
    unresolved: references,
    external,
    ignored,
    warnings,
  };
}

function relationshipTo(
  target: EntityKey,
  { owner, end, verb, properties }: ExternalReference,
): RelationshipDraft {
  return end === 'from'
    ? { from: owner, verb, to: target, properties }
    : { from: target, verb, to: owner, properties };
}

function draftOf({ type, key, class: className, displayName, properties }: EntityInput): EntityDraft {
  return { type, key, class: className, display_name: displayName, properties };
}
