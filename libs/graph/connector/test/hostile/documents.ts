/** One whole, small file of each format that is read, with its connector. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { advisoriesConnector } from '../../src/connectors/advisories/advisories-connector.ts';
import { awsConnector } from '../../src/connectors/aws/aws-connector.ts';
import { bloodhoundConnector } from '../../src/connectors/bloodhound/bloodhound-connector.ts';
import { kubernetesConnector } from '../../src/connectors/kubernetes/kubernetes-connector.ts';
import { nmapConnector } from '../../src/connectors/nmap/nmap-connector.ts';
import { osqueryConnector } from '../../src/connectors/osquery/osquery-connector.ts';
import { sbomConnector } from '../../src/connectors/sbom/sbom-connector.ts';
import { stixConnector } from '../../src/connectors/stix/stix-connector.ts';
import { csvConnector, jsonConnector } from '../../src/connectors/table/table-connectors.ts';
import { terraformConnector } from '../../src/connectors/terraform/terraform-connector.ts';
import type { FormatFile } from './format-file.ts';
import { LOCK_FORMATS } from './lock-documents.ts';

const own = (folder: string, name: string): string =>
  readFileSync(join(import.meta.dirname, '..', folder, name), 'utf8');
const json = (folder: string, name: string): object => JSON.parse(own(folder, name)) as object;

const SBOM = { connector: sbomConnector };
const MANIFEST = { 'package.json': { name: 'shop', version: '2.0.0', dependencies: { a: '^1.0.0' } } };
const COMPONENTS = [
  {
    type: 'library',
    'bom-ref': 'a',
    name: 'a',
    version: '1.10',
    purl: 'pkg:npm/a@1.10',
    licenses: [{ license: { id: 'MIT' } }],
    components: [{ type: 'file', 'bom-ref': 'f', name: 'f' }],
  },
  { type: 'library', 'bom-ref': 'b', name: 'b', version: '1', licenses: [{ expression: 'ISC OR Zlib' }] },
];
const CYCLONEDX = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: { component: { type: 'application', 'bom-ref': 'shop', name: 'shop', version: '2' } },
  components: COMPONENTS,
  services: [{ 'bom-ref': 's', name: 'pay', services: [{ 'bom-ref': 't', name: 'bank' }] }],
  dependencies: [
    { ref: 'shop', dependsOn: ['a', 's'] },
    { ref: 'a', dependsOn: ['b'], provides: ['f'] },
  ],
  vulnerabilities: [
    { id: 'CVE-2099-0001', ratings: [{ score: 9.8, method: 'CVSSv31' }], affects: [{ ref: 'a' }] },
    { id: 'CVE-2099-0002', analysis: { state: 'not_affected' }, affects: [{ ref: 'b' }] },
  ],
};
const CYCLONEDX_XML = `<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1">
  <metadata><component type="application" bom-ref="shop"><name>shop</name></component></metadata>
  <components>
    <component type="library" bom-ref="a"><name>a</name><version>1</version>
      <licenses><license><id>MIT</id></license></licenses></component>
    <component type="library" bom-ref="b"><name>b</name><version>1</version></component>
  </components>
  <dependencies><dependency ref="shop"><dependency ref="a"/></dependency></dependencies>
</bom>
`;
const SPDX = {
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'shop',
  packages: [
    {
      SPDXID: 'SPDXRef-a',
      name: 'a',
      versionInfo: '1.10',
      licenseDeclared: 'MIT',
      externalRefs: [
        { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:npm/a@1.10' },
      ],
    },
    { SPDXID: 'SPDXRef-b', name: 'b', versionInfo: '1', licenseConcluded: 'ISC' },
  ],
  relationships: [
    { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: 'SPDXRef-a' },
    { spdxElementId: 'SPDXRef-a', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-b' },
  ],
};
const SPDX_TAGS = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: shop
PackageName: a
SPDXID: SPDXRef-a
PackageVersion: 1.10
PackageLicenseDeclared: MIT
PackageName: b
SPDXID: SPDXRef-b
PackageVersion: 1
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-a
Relationship: SPDXRef-a DEPENDS_ON SPDXRef-b
`;
const SPDX_YAML = `spdxVersion: "SPDX-2.3"
SPDXID: SPDXRef-DOCUMENT
name: shop
packages:
- SPDXID: SPDXRef-a
  name: a
  versionInfo: "1.10"
- SPDXID: SPDXRef-b
  name: b
relationships:
- spdxElementId: SPDXRef-a
  relationshipType: DEPENDS_ON
  relatedSpdxElement: SPDXRef-b
`;
const SPDX_3 = {
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [
    { type: 'CreationInfo', '@id': '_:c', specVersion: '3.0.1', created: '2026-01-01T00:00:00Z' },
    { type: 'SpdxDocument', spdxId: 'urn:d', name: 'd', rootElement: ['urn:a'] },
    { type: 'software_Package', spdxId: 'urn:a', name: 'a', software_packageVersion: '1' },
    { type: 'software_Package', spdxId: 'urn:b', name: 'b', software_packageVersion: '1' },
    { type: 'Relationship', spdxId: 'urn:r', relationshipType: 'dependsOn', from: 'urn:a', to: ['urn:b'] },
  ],
};
const OPENVEX = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://shop.example/vex/1',
  statements: [
    {
      vulnerability: { name: 'CVE-2099-0001' },
      products: [{ '@id': 'pkg:npm/a@1', subcomponents: [{ '@id': 'pkg:npm/b@1' }] }],
      status: 'affected',
    },
    { vulnerability: { name: 'CVE-2099-0002' }, products: [{ '@id': 'pkg:npm/a@1' }], status: 'fixed' },
  ],
};
const CSAF = {
  document: { category: 'csaf_vex', csaf_version: '2.0', title: 'shop' },
  product_tree: {
    full_product_names: [{ product_id: 'b', name: 'b 1' }],
    branches: [
      {
        category: 'vendor',
        name: 'Acme',
        branches: [
          {
            category: 'product_version',
            name: '1',
            product: {
              product_id: 'a',
              name: 'a 1',
              product_identification_helper: { purl: 'pkg:npm/a@1' },
            },
          },
        ],
      },
    ],
    relationships: [
      {
        category: 'default_component_of',
        product_reference: 'a',
        relates_to_product_reference: 'b',
        full_product_name: { product_id: 'a-in-b', name: 'a in b' },
      },
    ],
  },
  vulnerabilities: [
    { cve: 'CVE-2099-0001', product_status: { known_affected: ['a'], known_not_affected: ['b'] } },
  ],
};
const LOCK_1 = {
  name: 'shop',
  version: '2.0.0',
  lockfileVersion: 1,
  requires: true,
  dependencies: { a: { version: '1.0.0', requires: { b: '^2.0.0' } }, b: { version: '2.0.0' } },
};
const LOCK_3 = {
  name: 'shop',
  version: '2.0.0',
  lockfileVersion: 3,
  packages: {
    '': { name: 'shop', version: '2.0.0', dependencies: { a: '^1.0.0' }, license: 'MIT' },
    'node_modules/a': { version: '1.0.0', license: 'ISC', dependencies: { b: '^2.0.0' } },
    'node_modules/b': { version: '2.0.0', optional: true },
  },
};
const YARN_1 = `# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.
# yarn lockfile v1


a@^1.0.0:
  version "1.2.0"
  dependencies:
    b "^2.0.0"

b@^2.0.0:
  version "2.0.0"
`;
const YARN_BERRY = `__metadata:
  version: 8
  cacheKey: 10

"a@npm:^1.0.0":
  version: 1.2.0
  resolution: "a@npm:1.2.0"
  dependencies:
    b: "npm:^2.0.0"
  languageName: node
  linkType: hard

"b@npm:^2.0.0":
  version: 2.0.0
  resolution: "b@npm:2.0.0"
  languageName: node
  linkType: hard

"shop@workspace:.":
  version: 0.0.0-use.local
  resolution: "shop@workspace:."
  dependencies:
    a: "npm:^1.0.0"
  languageName: unknown
  linkType: soft
`;
const pnpm = (version: string, packages: string): string => `lockfileVersion: ${version}
${packages}`;
const PNPM_5 = pnpm(
  '5.4',
  `specifiers:
  a: ^1.0.0
dependencies:
  a: 1.2.0
packages:
  /a/1.2.0:
    resolution: {integrity: sha512-aa}
    dependencies:
      b: 2.0.0
  /b/2.0.0:
    resolution: {integrity: sha512-bb}
`,
);
const PNPM_6 = pnpm(
  "'6.0'",
  `dependencies:
  a:
    specifier: ^1.0.0
    version: 1.2.0
packages:
  /a@1.2.0:
    resolution: {integrity: sha512-aa}
    dependencies:
      b: 2.0.0
  /b@2.0.0:
    resolution: {integrity: sha512-bb}
`,
);
const PNPM_9 = pnpm(
  "'9.0'",
  `importers:
  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.2.0
packages:
  a@1.2.0:
    resolution: {integrity: sha512-aa}
  b@2.0.0:
    resolution: {integrity: sha512-bb}
snapshots:
  a@1.2.0:
    dependencies:
      b: 2.0.0
  b@2.0.0: {}
`,
);
const TRIVY = {
  SchemaVersion: 2,
  ArtifactName: 'acme/shop:2.1',
  ArtifactType: 'container_image',
  Metadata: {
    OS: { Family: 'debian', Name: '12.5' },
    RepoTags: ['acme/shop:2.1'],
    RepoDigests: [`acme/shop@sha256:${'a'.repeat(64)}`],
  },
  Results: [
    {
      Target: 'app/package-lock.json',
      Class: 'lang-pkgs',
      Type: 'npm',
      Packages: [
        { ID: 'a@1.0.0', Name: 'a', Version: '1.0.0', Licenses: ['MIT'], DependsOn: ['b@2.0.0'] },
        { ID: 'b@2.0.0', Name: 'b', Version: '2.0.0', Epoch: 1 },
      ],
      Vulnerabilities: [
        {
          VulnerabilityID: 'CVE-2099-0001',
          PkgID: 'a@1.0.0',
          PkgName: 'a',
          InstalledVersion: '1.0.0',
          Severity: 'HIGH',
        },
      ],
    },
  ],
};
const VULNERABILITY_LIST = [
  {
    id: 'CVE-2099-0001',
    severity: [
      { method: 'nvd', score: 'high' },
      { method: 'cvss_v3', score: '7.5' },
    ],
  },
];
const SARIF = {
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Trivy',
          rules: [
            {
              id: 'CVE-2099-0001',
              fullDescription: { text: 'a' },
              properties: { 'security-severity': '7.5', tags: ['vulnerability', 'HIGH'] },
            },
          ],
        },
      },
      results: [{ ruleId: 'CVE-2099-0001' }],
    },
  ],
};
const GRYPE = {
  matches: [
    {
      vulnerability: { id: 'CVE-2099-0001', severity: 'Critical', fix: { versions: ['2'], state: 'fixed' } },
      relatedVulnerabilities: [],
      matchDetails: [{ type: 'exact-direct-match' }],
      artifact: { id: 'a1', name: 'a', version: '1', type: 'npm', purl: 'pkg:npm/a@1', licenses: ['MIT'] },
    },
  ],
  source: {
    type: 'image',
    target: { userInput: 'acme/shop:2.1', tags: ['acme/shop:2.1'], repoDigests: [] },
  },
  descriptor: { name: 'grype', version: '0.90.0' },
};

const STIX_OBJECTS = [
  { type: 'malware', spec_version: '2.1', id: 'malware--1', name: 'M', modified: '2026-01-01T00:00:00Z' },
  { type: 'tool', spec_version: '2.1', id: 'tool--1', name: 'T', created_by_ref: 'identity--1' },
  { type: 'identity', spec_version: '2.1', id: 'identity--1', name: 'I' },
  {
    type: 'relationship',
    spec_version: '2.1',
    id: 'relationship--1',
    relationship_type: 'uses',
    source_ref: 'malware--1',
    target_ref: 'tool--1',
  },
];

const SID = 'S-1-5-21-1-2-3';
const collected = (...results: readonly object[]) => ({
  Collected: true,
  FailureReason: null,
  Results: results,
});
const ref = (id: number, type: string) => ({ ObjectIdentifier: `${SID}-${id}`, ObjectType: type });
const ace = (id: number, right: string) => ({
  PrincipalSID: `${SID}-${id}`,
  PrincipalType: 'Group',
  RightName: right,
  IsInherited: false,
});
const sharpHound = (type: string, version: number, ...data: readonly object[]) => ({
  data,
  meta: { methods: 0, type, count: data.length, version },
});
const COMPUTER = {
  ObjectIdentifier: `${SID}-1104`,
  Properties: { name: 'PC.LAB', domainsid: SID },
  PrimaryGroupSID: `${SID}-515`,
  Aces: [ace(512, 'GenericAll')],
  ContainedBy: { ObjectIdentifier: 'OU-1', ObjectType: 'OU' },
  AllowedToDelegate: [ref(1001, 'Computer')],
  AllowedToAct: [ref(1105, 'User')],
  HasSIDHistory: [],
  Sessions: collected({ ComputerSID: `${SID}-1104`, UserSID: `${SID}-500` }),
};
const COMPUTER_6 = {
  ...COMPUTER,
  LocalGroups: [
    { ...collected(ref(520, 'Group')), Name: 'ADMINISTRATORS@PC.LAB', ObjectIdentifier: `${SID}-1104-544` },
  ],
  UserRights: [{ ...collected(ref(513, 'Group')), Privilege: 'SeBackupPrivilege' }],
};
const AZURE = {
  data: [
    { kind: 'AZTenant', data: { tenantId: 't1', displayName: 'corp', collected: true } },
    { kind: 'AZUser', data: { id: 'u1', userPrincipalName: 'ann@corp', tenantId: 't1' } },
    { kind: 'AZGroup', data: { id: 'g1', displayName: 'G', tenantId: 't1' } },
    {
      kind: 'AZGroupMember',
      data: { groupId: 'g1', members: [{ member: { id: 'u1', '@odata.type': '#microsoft.graph.user' } }] },
    },
    {
      kind: 'AZRoleAssignment',
      data: {
        roleDefinitionId: '62e90394-69f5-4237-9190-012177145e10',
        tenantId: 't1',
        roleAssignments: [
          {
            principalId: 'u1',
            roleDefinitionId: '62e90394-69f5-4237-9190-012177145e10',
            directoryScopeId: '/',
          },
        ],
      },
    },
  ],
  meta: { type: 'azure', version: 5, count: 5 },
};
const OPEN_GRAPH = {
  metadata: { source_kind: 'GitHub' },
  graph: {
    nodes: [
      { id: 'a', kinds: ['GHUser'], properties: { name: 'ann' } },
      { id: 'b', kinds: ['GHRepo'], properties: { name: 'shop' } },
    ],
    edges: [{ kind: 'CanWrite', start: { value: 'a' }, end: { match_by: 'name', value: 'shop' } }],
  },
};

const KUBERNETES = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            serviceAccountName: 'web',
            containers: [{ name: 'web', image: 'acme/web:1', envFrom: [{ secretRef: { name: 'key' } }] }],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'shop' }],
    },
  ],
  metadata: { resourceVersion: '' },
};

const NMAP = `<?xml version="1.0"?>
<nmaprun scanner="nmap" start="1"><scaninfo type="syn" protocol="tcp"/>
<host endtime="1"><status state="up"/><address addr="10.0.0.2" addrtype="ipv4"/><ports>
<port protocol="tcp" portid="22"><state state="open"/><service name="ssh"/></port>
<port protocol="tcp" portid="80"><state state="open"/></port></ports></host>
<runstats><finished exit="success"/></runstats></nmaprun>
`;

const TABLE = {
  field: 'file',
  config: { mapping: { type: 'host', key: 'name' } },
} as const;
const HOSTS = [
  { name: 'web-1', address: '10.0.0.1' },
  { name: 'web-2', address: '10.0.0.2' },
];

const OSV = {
  schema_version: '1.6.0',
  id: 'GHSA-1',
  modified: '2026-01-01T00:00:00Z',
  aliases: ['CVE-2099-0001'],
  affected: [
    {
      package: { ecosystem: 'npm', name: 'a' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
      versions: ['1.0.0'],
    },
  ],
};

const BUN = `{
  "lockfileVersion": 1,
  "workspaces": {
    "": { "name": "shop", "dependencies": { "a": "^1.0.0", }, },
  },
  "packages": {
    "a": ["a@1.2.0", "", { "dependencies": { "b": "^2.0.0" } }, "sha512-a"],
    "b": ["b@2.0.0", "", {}, "sha512-b"],
  }
}
`;
const BUN_DOCUMENT = {
  lockfileVersion: 1,
  workspaces: { '': { name: 'shop', dependencies: { a: '^1.0.0' } } },
  packages: {
    a: ['a@1.2.0', '', { dependencies: { b: '^2.0.0' } }, 'sha512-a'],
    b: ['b@2.0.0', '', {}, 'sha512-b'],
  },
};
const DENO = {
  version: '5',
  specifiers: { 'npm:a@1': '1.2.0' },
  npm: { 'a@1.2.0': { integrity: 'sha512-a', dependencies: ['b'] }, 'b@2.0.0': { integrity: 'sha512-b' } },
  workspace: { dependencies: ['npm:a@1'] },
};
export const FORMATS: readonly FormatFile[] = [
  { ...SBOM, format: 'CycloneDX JSON', name: 'a.json', content: CYCLONEDX, version: ['specVersion', '9.9'] },
  { ...SBOM, format: 'CycloneDX XML', name: 'a.xml', content: CYCLONEDX_XML },
  { ...SBOM, format: 'SPDX 2 JSON', name: 'a.json', content: SPDX, version: ['spdxVersion', 'SPDX-9.0'] },
  { ...SBOM, format: 'SPDX 2 tag-value', name: 'a.spdx', content: SPDX_TAGS, isSequence: true },
  { ...SBOM, format: 'SPDX 2 YAML', name: 'a.yaml', content: SPDX_YAML, isSequence: true },
  {
    ...SBOM,
    format: 'SPDX 3',
    name: 'a.json',
    content: SPDX_3,
    required: ['@graph', '@graph.2.type', '@graph.4.from', '@graph.4.to', '@graph.4.relationshipType'],
  },
  {
    ...SBOM,
    format: 'in-toto',
    name: 'a.json',
    content: {
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://cyclonedx.org/bom',
      predicate: CYCLONEDX,
    },
  },
  {
    ...SBOM,
    format: 'OpenVEX',
    name: 'a.json',
    content: OPENVEX,
    required: [
      'statements',
      'statements.0.vulnerability',
      'statements.0.vulnerability.name',
      'statements.0.products',
      'statements.0.products.0.@id',
      'statements.0.status',
    ],
    either: /vulnerability as "|products\.\d as "/,
  },
  {
    ...SBOM,
    format: 'CSAF',
    name: 'a.json',
    content: CSAF,
    version: ['document.csaf_version', '9.0'],
    required: [
      'document',
      'product_tree.full_product_names.0.product_id',
      'product_tree.relationships.0.product_reference',
      'product_tree.relationships.0.relates_to_product_reference',
      'product_tree.relationships.0.full_product_name',
      'vulnerabilities.0.cve',
    ],
  },
  {
    ...SBOM,
    format: 'package-lock 1',
    name: 'package-lock.json',
    content: LOCK_1,
    beside: MANIFEST,
    version: ['lockfileVersion', 9],
  },
  {
    ...SBOM,
    format: 'package-lock 2',
    name: 'package-lock.json',
    content: { ...LOCK_3, lockfileVersion: 2 },
  },
  {
    ...SBOM,
    format: 'package-lock 3',
    name: 'package-lock.json',
    content: LOCK_3,
    version: ['lockfileVersion', 9],
  },
  { ...SBOM, format: 'yarn.lock 1', name: 'yarn.lock', content: YARN_1, isSequence: true, beside: MANIFEST },
  { ...SBOM, format: 'yarn.lock berry', name: 'yarn.lock', content: YARN_BERRY, isSequence: true },
  { ...SBOM, format: 'pnpm-lock 5', name: 'pnpm-lock.yaml', content: PNPM_5, isSequence: true },
  { ...SBOM, format: 'pnpm-lock 6', name: 'pnpm-lock.yaml', content: PNPM_6, isSequence: true },
  { ...SBOM, format: 'pnpm-lock 9', name: 'pnpm-lock.yaml', content: PNPM_9, isSequence: true },
  { ...SBOM, format: 'bun.lock', name: 'bun.lock', content: BUN },
  {
    ...SBOM,
    format: 'bun.lock without trailing commas',
    name: 'bun.lock',
    content: BUN_DOCUMENT,
    version: ['lockfileVersion', 9],
    required: ['lockfileVersion', 'workspaces', 'packages.b'],
    // It is read as YAML, in which all scalars are texts.
    either: / as (?:7|true)$/,
  },
  {
    ...SBOM,
    format: 'deno.lock',
    name: 'deno.lock',
    content: DENO,
    version: ['version', '9'],
    required: ['version', 'npm'],
  },
  ...[
    ['report', { scanner: { uri: 'pkg:github/aquasecurity/trivy@1', result: TRIVY } }] as const,
    ['list', { scanner: { result: VULNERABILITY_LIST } }] as const,
    ['SARIF', { scanner: { result: SARIF } }] as const,
  ].map(([what, predicate]) => ({
    ...SBOM,
    format: `attested scan, ${what}`,
    name: 'a.json',
    content: {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'ghcr.io/acme/shop', digest: { sha256: 'a'.repeat(64) } }],
      predicateType: 'https://cosign.sigstore.dev/attestation/vuln/v1',
      predicate,
    },
    // One severity may stand without its list; a score may be a number.
    either: /severity as \{\}$|\.score as 7$/,
  })),
  ...LOCK_FORMATS,
  { ...SBOM, format: 'Trivy', name: 'a.json', content: TRIVY, version: ['SchemaVersion', 9] },
  {
    ...SBOM,
    format: 'Grype',
    name: 'a.json',
    content: GRYPE,
    either: /^source\.target as "|matchDetails as \{\}$/,
  },
  {
    connector: stixConnector,
    format: 'STIX',
    readsAnyValue: true,
    name: 'a.json',
    content: { type: 'bundle', id: 'bundle--1', objects: STIX_OBJECTS },
  },
  {
    connector: stixConnector,
    format: 'TAXII',
    readsAnyValue: true,
    name: 'a.json',
    content: { more: false, objects: STIX_OBJECTS },
    required: ['objects.0.id'],
  },
  ...[5, 6].map((version) => ({
    connector: bloodhoundConnector,
    format: `SharpHound ${version}`,
    readsAnyValue: true,
    name: 'computers.json',
    content: sharpHound('computers', version, version === 6 ? COMPUTER_6 : COMPUTER),
    version: ['meta.version', 9] as const,
  })),
  {
    connector: bloodhoundConnector,
    format: 'AzureHound',
    readsAnyValue: true,
    name: 'azure.json',
    content: AZURE,
    version: ['meta.version', 9],
  },
  {
    connector: bloodhoundConnector,
    format: 'OpenGraph',
    readsAnyValue: true,
    name: 'graph.json',
    content: OPEN_GRAPH,
  },
  {
    connector: osqueryConnector,
    format: 'osquery',
    name: 'osqueryd.results.log',
    content: own('osquery', 'results.ndjson').split('\n').slice(0, 4).join('\n'),
    isSequence: true,
    mayBeEmpty: true,
  },
  { connector: nmapConnector, format: 'nmap', name: 'a.xml', content: NMAP },
  {
    connector: terraformConnector,
    format: 'Terraform state',
    readsAnyValue: true,
    name: 'a.tfstate',
    content: json('terraform', 'state.tfstate'),
    required: ['version', 'resources', 'resources.0.type', 'resources.0.instances'],
    version: ['version', 9],
    either: /index_key as "|attributes\.\w+ as [{[]/,
  },
  {
    connector: terraformConnector,
    format: 'Terraform show',
    either: /values\.\w+(?:\.\d+)? as /,
    name: 'a.json',
    content: json('terraform', 'show.json'),
    version: ['format_version', '9.0'],
  },
  { connector: kubernetesConnector, format: 'Kubernetes', name: 'a.json', content: KUBERNETES },
  ...['iam-get-account-authorization-details-0', 'ec2-describe-instances-0', 'lambda-list-functions-0'].map(
    (name) => ({
      connector: awsConnector,
      format: `AWS ${name}`,
      name: 'a.json',
      content: { ...json('aws', `${name}.json`), IsTruncated: undefined, Marker: undefined },
    }),
  ),
  ...[
    'list-policies-for-target-444444444444',
    'describe-policy-0',
    'list-targets-for-policy-p-FullAWSAccess',
    'list-accounts-0',
    'list-parents-444444444444',
    'list-organizational-units-for-parent-r-examplerootid111',
  ].map((name) => ({
    connector: awsConnector,
    format: `AWS organizations ${name}`,
    name: `${name}.json`,
    content: json('aws', `organizations-${name}.json`),
  })),
  {
    ...TABLE,
    connector: csvConnector,
    format: 'CSV',
    name: 'a.csv',
    content: 'name,address\nweb-1,10.0.0.1\nweb-2,10.0.0.2\n',
    isSequence: true,
  },
  {
    ...TABLE,
    connector: jsonConnector,
    format: 'JSON',
    readsAnyValue: true,
    name: 'a.json',
    content: HOSTS,
    either: /as (?:7|true)$|address as \{\}$/,
  },
  {
    ...TABLE,
    connector: jsonConnector,
    format: 'NDJSON',
    name: 'a.ndjson',
    content: HOSTS.map((each) => `${JSON.stringify(each)}\n`).join(''),
    isSequence: true,
  },
  {
    connector: advisoriesConnector,
    format: 'OSV',
    name: 'a.json',
    field: 'osv',
    content: OSV,
    required: ['id', 'modified', 'affected.0.ranges.0.events', 'affected.0.ranges.0.events.0.introduced'],
  },
  {
    connector: advisoriesConnector,
    format: 'answer of the API of OSV',
    name: 'a.json',
    field: 'osv',
    content: { vulns: [OSV] },
    required: ['vulns', 'vulns.0.id', 'vulns.0.modified'],
  },
  {
    connector: advisoriesConnector,
    format: 'EPSS',
    name: 'a.csv',
    field: 'epss',
    content:
      '#model_version:v2025,score_date:2026-01-01T00:00:00Z\ncve,epss,percentile\nCVE-2099-0001,0.5,0.9\n',
    isSequence: true,
  },
  {
    connector: advisoriesConnector,
    format: 'KEV',
    isOfMany: false,
    name: 'a.json',
    field: 'kev',
    required: ['vulnerabilities', 'vulnerabilities.0.cveID'],
    content: {
      title: 'CISA',
      count: 1,
      vulnerabilities: [
        {
          cveID: 'CVE-2099-0001',
          dateAdded: '2026-01-01',
          dueDate: '2026-01-22',
          knownRansomwareCampaignUse: 'Known',
        },
      ],
    },
  },
];
