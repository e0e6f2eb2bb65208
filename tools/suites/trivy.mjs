import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from './support/graph-service.mjs';
import { writeTrivyDatabase } from './support/trivy-database.mjs';

export const source =
  'Trivy, https://github.com/aquasecurity/trivy, Apache-2.0, as installed or as PLEXUS_TRIVY names it, over the bills in PLEXUS_TEST_DATA/bills with the advisories of OSV in PLEXUS_TEST_DATA/osv';

const PROGRAM = process.env.PLEXUS_TRIVY ?? 'trivy';
const FOLDER = process.env.PLEXUS_TEST_DATA ?? '/nonexistent';
const MAIN = join(ROOT, 'dist', 'programs', 'graph.js');
const OPTIONS = ['sbom', '--quiet', '--offline-scan', '--skip-db-update', '--skip-java-db-update'];
const TYPES = ['npm', 'pypi', 'maven', 'golang', 'cargo', 'deb', 'rpm', 'apk'].map(
  (each) => `${each}_package`,
);
const MATCHES = `FIND (${TYPES.join('|')}) AS p THAT HAS vulnerability AS v RETURN p._type, p._key, v._key`;
/** As many as one answer has. */
const MATCHES_MAX = 10_000;
const CVE = /^CVE-/;

/**
 * Each bill is one test: Trivy and the connector `advisories` match its packages with the same advisories,
 * and find the same. Without a network: Trivy's database is written here.
 */
export async function run() {
  const missing = ['bills', 'osv'].filter((name) => !existsSync(join(FOLDER, name)));
  if (spawnSync(PROGRAM, ['--version']).status !== 0) missing.unshift(PROGRAM);
  if (missing.length > 0)
    return { passed: 0, failed: 0, skipped: 1, notes: [`skipped: there is no ${missing.join(', ')}`] };
  const work = mkdtempSync(join(tmpdir(), 'plexus-suite-trivy-'));
  try {
    const advisories = advisoriesIn(join(FOLDER, 'osv'));
    writeTrivyDatabase(join(work, 'cache'), advisories);
    const names = namesOf(advisories);
    const endless = new Set(advisories.filter(isWithoutEnd).map(({ id }) => names.get(id)));
    const bills = readdirSync(join(FOLDER, 'bills')).map((name) => compare(name, { names, endless, work }));
    const failed = bills.filter(({ isEqual }) => !isEqual).length;
    return { passed: bills.length - failed, failed, notes: bills.flatMap(({ notes }) => notes) };
  } finally {
    rmSync(work, { recursive: true });
  }
}

function compare(name, { names, endless, work }) {
  const bill = join(FOLDER, 'bills', name);
  const theirs = trivyMatches(bill, { cache: join(work, 'cache'), names });
  const ours = plexusMatches(bill, join(work, basename(name)));
  // Trivy's `>=0` has no pre-release of 0.0.0, such as versions of Go that are named by a commit.
  const isKnown = (match) => /@v?0\.0\.0-/.test(match) && endless.has(match.split(' ')[1]);
  const onlyOurs = [...ours.difference(theirs)].toSorted();
  const onlyTheirs = [...theirs.difference(ours)].toSorted();
  return {
    isEqual: onlyTheirs.length === 0 && onlyOurs.every(isKnown),
    notes: [
      `${name}: ${ours.intersection(theirs).size} matches of both`,
      ...onlyOurs.map((match) => `  Plexus only: ${match}`),
      ...onlyTheirs.map((match) => `  Trivy only: ${match}`),
    ],
  };
}

function advisoriesIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json'));
  return files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** Where an advisory has one CVE, that is its name. */
function namesOf(advisories) {
  const nameOf = ({ id, aliases = [], upstream = [] }) => {
    const cves = [...new Set([...aliases, ...upstream])].filter((each) => CVE.test(each));
    return CVE.test(id) || cves.length !== 1 ? id : cves[0];
  };
  return new Map(advisories.map((advisory) => [advisory.id, nameOf(advisory)]));
}

function isWithoutEnd({ affected = [] }) {
  const isEnd = ({ fixed, last_affected: last }) => fixed !== undefined || last !== undefined;
  return affected.some(({ ranges = [] }) => ranges.some(({ events }) => !events.some(isEnd)));
}

function trivyMatches(bill, { cache, names }) {
  const args = [...OPTIONS, '--cache-dir', cache, '--format', 'json', bill];
  const report = JSON.parse(execFileSync(PROGRAM, args, { encoding: 'utf8', maxBuffer: 2 ** 28 }));
  const found = (report.Results ?? []).flatMap(({ Vulnerabilities: list }) => list ?? []);
  return new Set(
    found.map(
      ({ PkgName: name, InstalledVersion: version, VulnerabilityID: id }) =>
        `${name.replace(':', '/')}@${version} ${names.get(id)}`,
    ),
  );
}

/** As one types it: the bill, then the advisories, each as a source. */
function plexusMatches(bill, work) {
  const connectors = join(work, 'connectors');
  mkdirSync(connectors, { recursive: true });
  const write = (id, connector, config) =>
    writeFileSync(join(connectors, `${id}.yaml`), JSON.stringify({ connector, config }));
  write('bill', 'sbom', { file: bill });
  write('known', 'advisories', { osv: join(FOLDER, 'osv') });
  const data = ['--data-dir', join(work, 'data')];
  for (const id of ['bill', 'known']) plexus(['connector', 'run', id, '--connectors', connectors, ...data]);
  const answer = JSON.parse(
    plexus(['query', MATCHES, '--limit', String(MATCHES_MAX), '--format', 'json', ...data]),
  );
  if (answer.rows.length === MATCHES_MAX) throw new Error(`expected fewer matches of ${bill}`);
  return new Set(answer.rows.map(([type, key, vulnerability]) => `${plainName(type, key)} ${vulnerability}`));
}

/** As Trivy prints it: without the system of a package of a distribution, with its epoch in the version. */
function plainName(type, key) {
  const [path, query = ''] = key.split('?');
  if (!/^(?:deb|rpm|apk)_/.test(type)) return path;
  const [, name, version] = /^[^/]+\/(.+)@(.+)$/.exec(path);
  const [, epoch] = /(?:^|&)epoch=(\d+)/.exec(query) ?? [];
  return `${name}@${epoch === undefined ? '' : `${epoch}:`}${version}`;
}

function plexus(args) {
  return execFileSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
