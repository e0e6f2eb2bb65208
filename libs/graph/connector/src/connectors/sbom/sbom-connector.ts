import { basename, dirname, extname, join } from 'node:path';
import type { EntityKey } from '#graph/model';
import { type Disk, isMissingFile } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE, type RelationshipDraft, type StepContext } from '../../run/step.ts';
import { KnownImages } from '../image/known-images.ts';
import { readJsonText } from '../document/json-text.ts';
import { unknownPart } from '../document/unknown-part.ts';
import { readSourceFile, type SourceFile } from '../document/source-file.ts';
import { sourceFiles } from '../document/source-files.ts';
import type { Bill, ExternalReference } from './bill-builder.ts';
import { LinkedBills } from './linked-bills.ts';
import { mergedBills } from './merged-bills.ts';
import { readBill } from './read-bill.ts';

/** In a directory, files with other names are counted, and not read. */
const EXTENSIONS: ReadonlySet<string> = new Set([
  '.json',
  '.jsonl',
  '.xml',
  '.spdx',
  '.yaml',
  '.yml',
  '.lock',
  '.lockfile',
]);
/** Lock files with other endings. */
const NAMES: ReadonlySet<string> = new Set(['go.mod', 'requirements.txt']);
/** They are read with the lock files beside them. */
const MANIFESTS: ReadonlySet<string> = new Set(['package.json', 'composer.json']);

/** The types of packages are those of package URLs; the verbs of SPDX are many. */
const VOCABULARY = {
  entities: {
    '*_package':
      'bundled copies cpu depth dev has_install_script hashes integrity kind libc license license_concluded name ' +
      'node_range optional os purl scope source_name source_version version *',
    '*_project': 'description kind license name node_range purl scope version *',
    project: 'name *',
    component: 'description kind license name scope version *',
    service: 'name version *',
    container_image: 'digest image_id name os repository tag',
    'kube_*': 'name namespace',
    license: 'name',
    vulnerability: 'aliases description epss epss_percentile known_exploited name score severity *',
  },
  relationships: {
    '* DEPENDS_ON *': 'kind range',
    '* LICENSED_UNDER license': '',
    '* CONTAINS *': 'target',
    'kube_* RUNS container_image': '',
    'container_image MAPS_TO *': '',
    '* HAS vulnerability': 'advisory fix_state fixed_versions justification match range source state *',
    '* NOT_AFFECTED_BY vulnerability': 'justification state *',
    '* PROVIDES *': '',
    '* DESCRIBES *': '',
    '* * *': '*',
  },
};

/** Software bills of materials and advisories; their formats are detected from the text. */
export function sbomConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'sbom',
    about:
      'bills of materials and advisories: CycloneDX, SPDX, OpenVEX, CSAF, and lock files of npm, Yarn, pnpm, Bun, ' +
      'Deno, Python, Rust, Go, PHP, Ruby, .NET and Gradle',
    config: { file: fileField({ about: 'path of a file, directory or pattern, relative to this file' }) },
    vocabulary: VOCABULARY,
    steps: () => [
      {
        id: 'bill',
        description: 'packages, licences and dependencies',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const { file: source } = context.config;
          const { files, areOfDirectory } = await sourceFiles(disk, source);
          const bills: Bill[] = [];
          for (const file of files) {
            context.signal.throwIfAborted();
            if (areOfDirectory && !isBillName(file)) context.ignored('files with other names');
            else bills.push({ ...(await billIn(disk, { file, source })), documents: [] });
          }
          const bill = mergedBills(bills);
          const linked = new LinkedBills(disk, (file) => billIn(disk, { file, source }));
          await linked.search(files, bill.external);
          await emit(context, bill, linked);
        },
      },
    ],
  });
}

function isBillName(file: string): boolean {
  const name = basename(file);
  return NAMES.has(name) || (EXTENSIONS.has(extname(name)) && !MANIFESTS.has(name));
}

function billIn(disk: Disk, place: SourceFile): Promise<Bill> {
  const folder = dirname(place.file);
  const beside = (path: string): Promise<string | undefined> => textBeside(disk, join(folder, path));
  return readSourceFile(disk, place, (text) => readBill({ text, folder: basename(folder), beside }));
}

async function textBeside(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return await readJsonText(disk, path);
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

async function emit(context: StepContext<unknown>, bill: Bill, linked: LinkedBills): Promise<void> {
  await context.emitAll(bill);
  for (const reference of bill.unresolved) context.unresolved(reference);
  const images = new KnownImages(context.graph, context.connectorId, bill.entities);
  for (const reference of bill.external) {
    const target = reference.link && linked.find(reference.link);
    const targets = [...(target === undefined ? [] : [target]), ...images.find(reference.reference)];
    for (const each of targets) context.emitRelationship(relationshipTo(each, reference));
    if (target !== undefined) continue;
    context.external(reference);
    if (reference.link !== undefined)
      context.ignored(`references to ${reference.link.name}, which is not there`);
  }
  for (const [kind, count] of bill.ignored) context.ignored(kind, count);
  for (const warning of bill.warnings) context.warn(warning);
  if (!bill.isWhole) context.unread(unknownPart('values are left out'));
}

function relationshipTo(
  target: EntityKey,
  { owner, end, verb, properties }: ExternalReference,
): RelationshipDraft {
  return end === 'from'
    ? { from: owner, verb, to: target, properties }
    : { from: target, verb, to: owner, properties };
}
