/** Documents of tools in JSON, which would lose their meaning as a list of records. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { isAwsAnswer } from '../connectors/aws/aws-answer.ts';
import { billFormatOf } from '../connectors/sbom/read-bill.ts';

/** The connectors that read files of people. */
export const IMPORT_CONNECTORS = [
  'csv',
  'json',
  'sbom',
  'stix',
  'aws',
  'bloodhound',
  'kubernetes',
  'nmap',
  'osquery',
  'terraform',
] as const;
export type ImportConnector = (typeof IMPORT_CONNECTORS)[number];

interface ToolDocument {
  readonly connector: ImportConnector;
  /** The name of the format, for people. */
  readonly format: string;
  readonly is: (document: JsonObject) => boolean;
}

const STIX_ID = /^[a-z0-9-]+--[0-9a-f]{8}-[0-9a-f-]{27}$/i;
/** What `terraform show -json` writes beside the version; of an empty state, nothing. */
const SHOWN = ['terraform_version', 'values', 'planned_values', 'prior_state', 'resource_changes'];

const DOCUMENTS: readonly ToolDocument[] = [
  {
    connector: 'stix',
    format: 'STIX',
    is: (document) =>
      document['type'] === 'bundle' ||
      isStixObject(document) ||
      (document['type'] === undefined && hasStixObjects(document['objects'])),
  },
  {
    connector: 'bloodhound',
    format: 'BloodHound',
    // Before version 4 of SharpHound, the list has the name of the type.
    is: ({ meta, data, ...lists }) =>
      isJsonObject(meta) &&
      typeof meta['type'] === 'string' &&
      (Array.isArray(data) || Array.isArray(lists[meta['type']])),
  },
  {
    connector: 'bloodhound',
    format: 'OpenGraph',
    is: ({ graph }) => isJsonObject(graph) && Array.isArray(graph['nodes']) && Array.isArray(graph['edges']),
  },
  {
    connector: 'osquery',
    format: 'osquery',
    is: (line) =>
      typeof line['name'] === 'string' &&
      typeof line['hostIdentifier'] === 'string' &&
      ['action', 'diffResults', 'snapshot'].some((field) => field in line),
  },
  {
    connector: 'kubernetes',
    format: 'Kubernetes',
    is: ({ apiVersion, kind }) => typeof apiVersion === 'string' && typeof kind === 'string',
  },
  {
    connector: 'terraform',
    format: 'Terraform',
    // Versions before 4 have modules.
    is: ({ lineage, resources, modules }) =>
      typeof lineage === 'string' && Array.isArray(resources ?? modules),
  },
  {
    connector: 'terraform',
    format: 'Terraform',
    is: ({ format_version: version, ...shown }) =>
      typeof version === 'string' &&
      (Object.keys(shown).length === 0 || SHOWN.some((field) => field in shown)),
  },
  { connector: 'aws', format: 'AWS CLI', is: isAwsAnswer },
];

/** Undefined for a document of no tool that is known. */
export function toolDocument(document: JsonObject): Omit<ToolDocument, 'is'> | undefined {
  const found = DOCUMENTS.find(({ is }) => is(document));
  return found && { connector: found.connector, format: found.format };
}

/** The name of the format, for people; undefined for a record of a table. */
export function documentFormat(document: JsonObject): string | undefined {
  return toolDocument(document)?.format ?? billFormatOf(document);
}

export function isStixObject({ type, id }: JsonObject): boolean {
  return typeof type === 'string' && STIX_ID.test(String(id));
}

/** A page of TAXII. */
function hasStixObjects(objects: unknown): boolean {
  const first: unknown = Array.isArray(objects) ? objects[0] : undefined;
  return isJsonObject(first) && STIX_ID.test(String(first['id']));
}
