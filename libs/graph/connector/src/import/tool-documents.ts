/** Documents of tools in JSON, which would lose their meaning as a list of records. */
import { isJsonObject, type JsonObject } from '#graph/model';

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

export const STIX_ID = /^[a-z0-9-]+--[0-9a-f]{8}-[0-9a-f-]{27}$/i;
/** Fields of the answers of the AWS CLI that no other document has. */
const AWS_ANSWERS = ['UserDetailList', 'RoleDetailList', 'Reservations', 'SecurityGroups', 'DBInstances'];

const DOCUMENTS: readonly ToolDocument[] = [
  {
    connector: 'stix',
    format: 'STIX',
    is: ({ type, objects }) => type === 'bundle' || (type === undefined && hasStixObjects(objects)),
  },
  {
    connector: 'bloodhound',
    format: 'BloodHound',
    is: ({ meta, data }) => isJsonObject(meta) && typeof meta['type'] === 'string' && Array.isArray(data),
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
    is: ({ lineage, resources }) => typeof lineage === 'string' && Array.isArray(resources),
  },
  {
    connector: 'terraform',
    format: 'Terraform',
    is: (shown) => typeof shown['format_version'] === 'string' && 'terraform_version' in shown,
  },
  {
    connector: 'aws',
    format: 'AWS CLI',
    is: (answer) => AWS_ANSWERS.some((field) => Array.isArray(answer[field])),
  },
];

/** Undefined for a document of no tool that is known. */
export function toolDocument(document: JsonObject): Omit<ToolDocument, 'is'> | undefined {
  const found = DOCUMENTS.find(({ is }) => is(document));
  return found && { connector: found.connector, format: found.format };
}

/** A page of TAXII. */
function hasStixObjects(objects: unknown): boolean {
  const first: unknown = Array.isArray(objects) ? objects[0] : undefined;
  return isJsonObject(first) && STIX_ID.test(String(first['id']));
}
