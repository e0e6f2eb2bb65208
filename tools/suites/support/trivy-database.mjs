/** Advisories of OSV as the database of Trivy, as its builder (trivy-db) writes them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boltFile } from './bolt-file.mjs';

const lower = (name) => name.toLowerCase();

/** Trivy's words for the ecosystems of OSV, and the spelling of names in its database. */
const ECOSYSTEMS = new Map([
  ['npm', { prefix: 'npm', named: lower }],
  ['PyPI', { prefix: 'pip', named: (name) => lower(name).replace(/[-_.]+/g, '-') }],
  ['Maven', { prefix: 'maven', named: lower }],
  ['Go', { prefix: 'go', named: (name) => name }],
  ['crates.io', { prefix: 'cargo', named: lower }],
]);
/** Its words for distributions, whose packages it has by release with the version that mends each. */
const DISTRIBUTIONS = new Map([
  ['Debian', 'debian'],
  ['Ubuntu', 'ubuntu'],
  ['Alpine', 'alpine'],
  ['AlmaLinux', 'alma'],
  ['Rocky Linux', 'rocky'],
]);
/** Trivy asks for a newer one after this time. */
const UNTIL = '2999-01-01T00:00:00Z';

/** Writes the database into a folder for `--cache-dir`. */
export function writeTrivyDatabase(folder, advisories) {
  const root = new Map();
  for (const { id, withdrawn, affected = [] } of advisories) {
    if (withdrawn !== undefined) continue;
    for (const each of affected) {
      const ecosystem = ECOSYSTEMS.get(each.package?.ecosystem);
      if (ecosystem === undefined) {
        addToDistribution(root, id, each);
        continue;
      }
      const bucket = `${ecosystem.prefix}::OSV`;
      const ofPackage = within(within(root, bucket), ecosystem.named(each.package.name));
      // An advisory may name a package several times.
      const earlier = JSON.parse(ofPackage.get(id) ?? '{}').VulnerableVersions ?? [];
      ofPackage.set(id, JSON.stringify({ VulnerableVersions: [...earlier, ...rangesOf(each)] }));
      within(root, 'vulnerability').set(id, JSON.stringify({ Title: id, Severity: 'UNKNOWN' }));
      within(root, 'data-source').set(bucket, JSON.stringify({ ID: 'osv', Name: 'OSV', URL: '' }));
    }
  }
  mkdirSync(join(folder, 'db'), { recursive: true });
  writeFileSync(join(folder, 'db', 'trivy.db'), boltFile(root));
  const times = { NextUpdate: UNTIL, UpdatedAt: UNTIL, DownloadedAt: UNTIL };
  writeFileSync(join(folder, 'db', 'metadata.json'), JSON.stringify({ Version: 2, ...times }));
}

/** Ranges that do not begin with the first version have no form there: the suite refuses them. */
function addToDistribution(root, id, { package: { ecosystem = '', name } = {}, ranges = [] }) {
  const [family, release = ''] = ecosystem.split(':');
  const distribution = DISTRIBUTIONS.get(family);
  if (distribution === undefined || release === '') return;
  const events = ranges.flatMap((range) => range.events);
  const fixed = events.flatMap((event) => event.fixed ?? []);
  if (events.some(({ introduced = '0' }) => introduced !== '0') || fixed.length > 1)
    throw new Error(`${id}: expected one range from the first version of ${name}`);
  // Trivy has modules of RPM by their streams, which OSV does not say.
  if (/\.module[_+]el\d/.test(fixed[0] ?? '')) return;
  const bucket = `${distribution} ${release.replace(/^v/, '')}`;
  within(within(root, bucket), name).set(id, JSON.stringify({ FixedVersion: fixed[0] ?? '' }));
  within(root, 'vulnerability').set(id, JSON.stringify({ Title: id, Severity: 'UNKNOWN' }));
}

function within(bucket, name) {
  if (!bucket.has(name)) bucket.set(name, new Map());
  return bucket.get(name);
}

/** `>=1.0.0, <1.2.3`, `<1.2.3` from the first version on, `>=1.0.0` without an end, `=1.0.0` if listed. */
function rangesOf({ ranges = [], versions = [] }) {
  const texts = [];
  for (const { type, events } of ranges) {
    if (type === 'GIT') continue;
    let from;
    const endAt = (end) => {
      if (from !== undefined)
        texts.push(
          [...(from === '0' && end !== undefined ? [] : [`>=${from}`]), end ?? []].flat().join(', '),
        );
      from = undefined;
    };
    for (const { introduced, fixed, last_affected: last } of events) {
      endAt(introduced !== undefined ? undefined : fixed === undefined ? `<=${last}` : `<${fixed}`);
      from = introduced;
    }
    endAt(undefined);
  }
  return [...texts, ...versions.map((version) => `=${version}`)];
}
