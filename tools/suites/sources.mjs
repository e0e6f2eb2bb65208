import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { countBill, withoutOne } from './support/bill-counts.mjs';
import {
  countAccount,
  countCluster,
  countMachine,
  countMatches,
  countReport,
  countState,
  withoutOneFinding,
  withoutOneItem,
  withoutOneMatch,
  withoutOneResource,
  withoutOneUser,
} from './support/estate-counts.mjs';
import { ROOT, withGraphService } from './support/graph-service.mjs';
import { countStix, withoutOneObject } from './support/stix-counts.mjs';

export const source =
  'bills that npm writes (CycloneDX, SPDX), package locks and manifests of this repository, a report of Trivy, a state of Terraform, an account of AWS, this machine, ATT&CK and reports of Grype with PLEXUS_TEST_DATA, counted independently; databases and directories are counted by the specs of libs/graph/connector/test, which start them';

/**
 * Each file is synced, and the entities of each type and the relationships of each verb are compared with
 * those of a script that shares no code with the connectors. Then one thing is removed from the file: the
 * second sync must delete exactly what the script no longer counts.
 */
export async function run() {
  const documents = [...bills(), ...estate(), ...bundles(), ...matches()];
  const faults = [];
  for (const document of documents) faults.push(...(await faultsOf(document)));
  const machine = process.platform === 'linux' ? countMachine() : undefined;
  if (machine !== undefined) faults.push(...(await faultsOfMachine(machine)));
  const notes = documents.map(({ name, counts }) => `${name}: ${JSON.stringify(counts.totals)}`);
  const skipped =
    ['attack-ics', 'grype'].filter((name) => !existsSync(testData(name))).length +
    (machine === undefined ? 1 : 0);
  return {
    passed: 2 * documents.length + (machine === undefined ? 0 : 1) - faults.length,
    failed: faults.length,
    skipped,
    notes: [
      ...notes,
      ...(machine === undefined ? [] : [`this machine: ${JSON.stringify(machine.totals)}`]),
      ...faults,
    ],
  };
}

function bills() {
  const folders = [ROOT, join(ROOT, 'tools', 'suites')];
  const locks = folders.map((folder) => [
    'package-lock.json',
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  ]);
  const written = ['cyclonedx', 'spdx'].map((format) => {
    const args = ['sbom', '--package-lock-only', '--sbom-format', format];
    const text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 27 });
    return [`npm sbom, ${format}`, text];
  });
  return [...locks, ...written].map(([name, text]) => {
    const document = JSON.parse(text);
    return {
      name,
      connector: 'sbom',
      document,
      counts: countBill(document),
      change: withoutOne,
      count: countBill,
    };
  });
}

/** The manifests that Plexus is installed with, as one list, a state of Terraform, an account of AWS. */
function estate() {
  const folder = join(ROOT, 'packaging', 'kubernetes');
  const items = readdirSync(folder).flatMap((name) => loadAll(readFileSync(join(folder, name), 'utf8')));
  const list = { kind: 'List', apiVersion: 'v1', items: distinct(items) };
  const path = join(ROOT, 'libs', 'graph', 'connector', 'test', 'terraform', 'state.tfstate');
  const state = JSON.parse(readFileSync(path, 'utf8'));
  const answer = join(ROOT, 'libs/graph/connector/test/aws/iam-get-account-authorization-details-0.json');
  // The example is the first page of several.
  const account = { ...JSON.parse(readFileSync(answer, 'utf8')), IsTruncated: false, Marker: undefined };
  const report = JSON.parse(
    readFileSync(join(ROOT, 'libs/graph/connector/test/scan/trivy-image.json'), 'utf8'),
  );
  return [
    {
      name: 'a report of Trivy',
      connector: 'sbom',
      document: report,
      counts: countReport(report),
      change: withoutOneFinding,
      count: countReport,
    },
    {
      name: 'manifests of this repository',
      connector: 'kubernetes',
      document: list,
      counts: countCluster(list),
      change: withoutOneItem,
      count: countCluster,
    },
    {
      name: 'a state of Terraform',
      connector: 'terraform',
      document: state,
      counts: countState(state),
      change: withoutOneResource,
      count: countState,
    },
    {
      name: 'authorization details in the reference of the AWS CLI',
      connector: 'aws',
      document: account,
      counts: countAccount(account),
      change: withoutOneUser,
      count: countAccount,
    },
  ];
}

/** An object that several files have is one. */
function distinct(items) {
  return [...new Map(items.map((item) => [`${item.kind} ${item.metadata.name}`, item])).values()];
}

/** Of a machine, nothing is removed for a second sync. */
function faultsOfMachine({ totals }) {
  return withConnector('host', '{}', async ({ sync, totals: found }) => {
    await sync();
    return differences('this machine', totals, await found());
  });
}

function bundles() {
  return documentsIn('attack-ics', { connector: 'stix', count: countStix, change: withoutOneObject });
}

/** Reports of Grype. */
function matches() {
  return documentsIn('grype', { connector: 'sbom', count: countMatches, change: withoutOneMatch });
}

/** The JSON files of a folder of the test data; none without the folder. */
function documentsIn(folder, { connector, count, change }) {
  const path = testData(folder);
  if (!existsSync(path)) return [];
  const files = readdirSync(path).filter((name) => name.endsWith('.json'));
  return files.map((name) => {
    const document = JSON.parse(readFileSync(join(path, name), 'utf8'));
    return { name: `${folder}/${name}`, connector, document, counts: count(document), change, count };
  });
}

function testData(folder) {
  return join(process.env.PLEXUS_TEST_DATA ?? '/nonexistent', folder);
}

function faultsOf({ name, connector, document, counts, change, count }) {
  return withConnector(connector, '{ file: document.json }', async ({ sync, totals }) => {
    await sync(document);
    const found = await totals();
    const faults = differences(`${name}, first sync`, counts.totals, found);
    const changed = change(document);
    await sync(changed);
    faults.push(...differences(`${name}, second sync`, count(changed).totals, await totals()));
    return faults.length === 0 && JSON.stringify(count(changed)) === JSON.stringify(counts)
      ? [`${name}: nothing was removed for the second sync`]
      : faults;
  });
}

/** Only what the script counts is compared. */
function differences(name, expected, found) {
  const wrong = Object.entries(expected).filter(([kind, number]) => (found[kind] ?? 0) !== number);
  return wrong.length === 0
    ? []
    : [
        `${name}: ${wrong.map(([kind, number]) => `${kind} ${found[kind] ?? 0}, expected ${number}`).join('; ')}`,
      ];
}

function withConnector(connector, config, use) {
  const folder = join(ROOT, 'node_modules', '.cache', 'suite-sources');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'document.json');
  writeFileSync(join(folder, 'one.yaml'), `connector: ${connector}\nconfig: ${config}\n`);
  const started = ({ url }) => {
    const call = async (method, path) => (await fetch(`${url}${path}`, { method })).json();
    const sync = async (document) => {
      if (document !== undefined) writeFileSync(file, JSON.stringify(document));
      let run = await call('POST', '/v1/connectors/one/run');
      while (run.ended_at === null) run = await call('GET', `/v1/connectors/runs/${run.run_id}`);
      if (run.status !== 'complete')
        throw new Error(`${run.status}: ${run.reason ?? run.warnings.join('; ')}`);
    };
    const totals = async () => {
      const { type_counts: types, verb_counts: verbs } = await call('GET', '/v1/stats');
      return { ...types, ...verbs };
    };
    return use({ sync, totals });
  };
  return withGraphService(started, ['--connectors', folder]);
}
