import type { EntityKey } from '#graph/model';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { optionalFileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { StepContext } from '../../run/step.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { RecordSet } from '../document/record-set.ts';
import { withAdvisories } from './advisory-documents.ts';
import { epssRows, type Exploitation, kevEntries } from './exploitation.ts';
import { KnownPackages } from './known-packages.ts';
import { OsvMatcher } from './osv-matcher.ts';

const TIMEOUT_MS = 3_600_000;
const VULNERABILITY = 'vulnerability';

interface Config {
  readonly osv: string | undefined;
  readonly epss: string | undefined;
  readonly kev: string | undefined;
}

/** Advisories of OSV, matched with the packages of the graph; EPSS and the catalogue of CISA. */
export function advisoriesConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'advisories',
    about: 'advisories of OSV for the packages of other sources, EPSS, known exploited vulnerabilities',
    config: {
      osv: optionalFileField('advisories of OSV: a zip, JSON files, a directory or a pattern'),
      epss: optionalFileField('the scores of EPSS: a table (CSV), also compressed'),
      kev: optionalFileField('the catalogue of known exploited vulnerabilities of CISA, in JSON'),
    },
    vocabulary: {
      entities: {
        vulnerability:
          'aliases cvss description epss epss_date epss_percentile kev_added kev_due known_exploited ' +
          'known_ransomware name published severity',
      },
      relationships: { '*_package HAS vulnerability': 'advisory fixed_versions match range source' },
    },
    steps: () => [
      {
        id: 'advisories',
        description: 'vulnerabilities of the packages in the graph',
        emits: { entities: [VULNERABILITY], relationships: ['HAS'] },
        timeoutMs: TIMEOUT_MS,
        run: (context) => readAdvisories(disk, context),
      },
    ],
  });
}

async function readAdvisories(disk: Disk, context: StepContext<Config>): Promise<void> {
  const { osv, epss, kev } = context.config;
  if (osv === undefined && epss === undefined && kev === undefined)
    throw new DomainError('INVALID_CONFIG', 'expected osv, epss or kev, got none of them');
  const records = new RecordSet();
  if (osv !== undefined) {
    const matcher = new OsvMatcher(new KnownPackages(context.graph), records, context);
    await withAdvisories(disk, osv, {
      use: (advisory) => {
        context.signal.throwIfAborted();
        matcher.match(advisory);
      },
      onOther: () => context.ignored('files with other names'),
    });
    matcher.end();
  }
  const known = knownVulnerabilities(records, context);
  const add = ({ cve, facts }: Exploitation): void => {
    for (const key of known.get(cve) ?? []) records.entity(key, 'Vulnerability', facts);
  };
  if (kev !== undefined) for (const each of await kevEntries(disk, kev)) add(each);
  if (epss !== undefined) for await (const each of epssRows(disk, epss)) add(each);
  await records.emit(context);
}

/** The vulnerabilities of this run and of other sources, by their CVEs. */
function knownVulnerabilities(
  records: RecordSet,
  { graph, connectorId }: StepContext<Config>,
): ReadonlyMap<string, readonly EntityKey[]> {
  const known = new Map<string, EntityKey[]>();
  const add = (key: EntityKey, aliases: unknown): void => {
    for (const name of new Set([key.key, aliases].flat().map(String))) {
      const others = known.get(name);
      if (others === undefined) known.set(name, [key]);
      else if (!others.some((other) => other.key === key.key)) others.push(key);
    }
  };
  for (const { type, key, facts } of records.entities())
    add({ type, key: fittingKey(key) }, facts['aliases'] ?? []);
  for (const entity of graph.ofType(VULNERABILITY))
    // What only an earlier run of this connector has said is said again only if it is matched again.
    if (entity.isStatedByOthers(connectorId))
      add({ type: VULNERABILITY, key: entity.key }, entity.field('aliases') ?? []);
  return known;
}
