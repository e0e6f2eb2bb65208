/**
 * BloodHound's own fixtures, from the folder of test data: `bloodhound/<name>/raw` is what collectors write,
 * `bloodhound/<name>/ingest/ingested.json` the graph that BloodHound makes of it before its analysis, and
 * `analysis/analyzed.json` beside it that after its analysis
 * (github.com/SpecterOps/BloodHound, `cmd/api/src/services/graphify/fixtures`).
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntityInput, RelationshipInput } from '#graph/model';
import { NodeDisk } from '#platform/disk';
import { describeUnless } from '#testing';
import { bloodhoundConnector } from '../src/connectors/bloodhound/bloodhound-connector.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';

const ROOT = join(process.env['PLEXUS_TEST_DATA'] ?? 'no test data', 'bloodhound');
const NAMES = existsSync(ROOT) ? readdirSync(ROOT) : [];

interface Node {
  readonly id: string;
  readonly kinds: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}
interface Edge {
  readonly start: { readonly value: string };
  readonly end: { readonly value: string };
  readonly kind: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}
interface Graph {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** When BloodHound read it. */
const OF_INGEST = new Set(['lastseen', 'lastcollected']);
/** What its analysis makes of them; the connector does so at once, which decides less. */
const RAW: ReadonlyMap<string, string> = new Map([
  ['OwnsRaw', 'Owns'],
  ['WriteOwnerRaw', 'WriteOwner'],
]);
/** Of what one element states, BloodHound derives these in its analysis. */
const DERIVED = new Set(['AdminTo', 'CanRDP', 'ExecuteDCOM', 'CanPSRemote', 'DCSync']);
/** All accounts of a domain are members of them, which its analysis says as well. */
const WELL_KNOWN = /-S-1-5-11$|-S-1-1-0$/;
/** Made by a policy on a domain controller, whose group BloodHound passes over for that of the domain. */
const BY_POLICY =
  'S-1-5-21-909015691-3030120388-2582151266-1114 AdminTo S-1-5-21-909015691-3030120388-2582151266-1000';
/** The kind that BloodHound gives policies beside their own, by the name of a file. */
const NO_KIND = 'issuancepolicies';
/** A session in a file of its own has it here as in the file of its computer. */
const OURS_ONLY = new Set([
  'HasSession isacl',
  'SameForestTrust tgtdelegation',
  'CrossForestTrust tgtdelegation',
]);

function graphOf(name: string, file = join('ingest', 'ingested.json')): Graph {
  const text = readFileSync(join(ROOT, name, file), 'utf8');
  return (JSON.parse(text) as { readonly graph: Graph }).graph;
}

const valuesOf = (properties: Readonly<Record<string, unknown>> = {}): readonly string[] =>
  Object.entries(properties)
    .filter(([name, value]) => !OF_INGEST.has(name) && value !== null && value !== '')
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);

/** Properties that the analysis sets, as the connector does at once. */
const isOfAnalysis = (id: string, line: string): boolean =>
  line.startsWith('isdc ') || (WELL_KNOWN.test(id) && line.startsWith('name '));

const nodeLines = ({ id, kinds, properties }: Node): readonly string[] =>
  [
    ...kinds.filter((kind) => kind !== NO_KIND),
    ...valuesOf(properties).filter((each) => !isOfAnalysis(id, each)),
  ].map((each) => `${id} ${each}`);

function entityLines({ class: kind, labels = [], properties }: EntityInput): readonly string[] {
  return nodeLines({ id: String(properties['objectid']), kinds: [kind, ...labels], properties });
}

/** Of equal rights the one that is not inherited counts here, and the last one there. */
const isComparable = (verb: string, line: string): boolean =>
  !line.startsWith('isinherited') && !OURS_ONLY.has(`${verb} ${line.split(' ')[0] ?? ''}`);

function edgeLines({ start, end, kind, properties }: Edge): readonly string[] {
  const edge = `${start.value} ${RAW.get(kind) ?? kind} ${end.value}`;
  return [
    edge,
    ...valuesOf(properties)
      .filter((each) => isComparable(kind, each))
      .map((each) => `${edge} ${each}`),
  ];
}

function relationshipLines({ from, verb, to, properties }: RelationshipInput): readonly string[] {
  if (DERIVED.has(verb) || (verb === 'MemberOf' && WELL_KNOWN.test(to.key))) return [];
  const edge = `${from.key} ${verb} ${to.key}`;
  return [
    edge,
    ...valuesOf(properties)
      .filter((each) => isComparable(verb, each))
      .map((each) => `${edge} ${each}`),
  ];
}

const withoutData = NAMES.length === 0 ? 'PLEXUS_TEST_DATA has no bloodhound' : undefined;

describeUnless(withoutData)('a fixture of BloodHound', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-fixtures-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function read(name: string): Promise<TestRun> {
    const raw = join(directory, name);
    await cp(join(ROOT, name, 'raw'), raw, { recursive: true });
    // One of them says that it has five domains, and has one: by hand, no collector writes that.
    const domains = join(raw, 'domains.json');
    if (existsSync(domains)) {
      const text = await readFile(domains, 'utf8');
      await writeFile(domains, text.replace(/"count": *\d+/, '"count": 0'));
    }
    return runConnector(bloodhoundConnector(new NodeDisk()), { config: { file: raw } });
  }

  it.each(NAMES.filter((name) => !name.endsWith('ZIP')))('%s is the graph of its ingest', async (name) => {
    const { report, entities, relationships } = await read(name);
    const { nodes, edges } = graphOf(name);

    expect(report).toMatchObject({ status: 'complete', ignored: {} });
    expect(new Set(entities.flatMap(entityLines))).toEqual(new Set(nodes.flatMap(nodeLines)));
    expect(new Set(relationships.flatMap(relationshipLines))).toEqual(new Set(edges.flatMap(edgeLines)));
  });

  const analyzed = join('analysis', 'analyzed.json');
  it.each(NAMES.filter((name) => existsSync(join(ROOT, name, analyzed))))(
    '%s has no edge that its analysis does not have',
    async (name) => {
      const { relationships } = await read(name);
      const theirs = new Set(
        graphOf(name, analyzed).edges.map((each) => `${each.start.value} ${each.kind} ${each.end.value}`),
      );

      const ours = relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`);
      expect(ours.filter((each) => !theirs.has(each) && each !== BY_POLICY)).toEqual([]);
    },
  );

  it.each(NAMES.filter((name) => name.endsWith('ZIP')))('%s is read as its files are', async (name) => {
    const ofFiles = graphOf(name);
    const { report, entities, relationships } = await read(name);

    if (report.status === 'failed') {
      expect(report.steps[0]?.reason).toContain('domains.json: meta.count: expected 5 objects, got 1');
      return;
    }
    expect(new Set(entities.flatMap(entityLines))).toEqual(new Set(ofFiles.nodes.flatMap(nodeLines)));
    expect(new Set(relationships.flatMap(relationshipLines))).toEqual(
      new Set(ofFiles.edges.flatMap(edgeLines)),
    );
  });
});
