import type { EntityKey } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import type { DocumentValue } from '../document/document-value.ts';
import { fittingKey } from '../document/fitting-key.ts';
import type { Facts, RecordSet } from '../document/record-set.ts';
import { vulnerabilityNames } from '../sbom/vulnerability-names.ts';
import { affectedBy } from './affected-range.ts';
import { ecosystemOf, nameOfEcosystem } from './ecosystems.ts';
import type { KnownPackages } from './known-packages.ts';

const SEVERITIES: ReadonlyMap<string, string> = new Map([['moderate', 'medium']]);

/** Matches advisories, one by one, with the packages of the graph. */
export class OsvMatcher {
  readonly #packages: KnownPackages;
  readonly #records: RecordSet;
  readonly #context: Pick<StepContext<unknown>, 'ignored'>;
  readonly #given = new Set<string>();

  constructor(packages: KnownPackages, records: RecordSet, context: Pick<StepContext<unknown>, 'ignored'>) {
    this.#packages = packages;
    this.#records = records;
    this.#context = context;
  }

  /** Throws INVALID_REQUEST for a document that is no advisory. */
  match(advisory: DocumentValue): void {
    const id = advisory.required('id');
    advisory.required('modified');
    if (advisory.has('withdrawn')) {
      this.#context.ignored('advisories that were withdrawn');
      return;
    }
    for (const affected of advisory.objects('affected')) {
      const { ecosystem: name, name: packageName } = namesOf(affected);
      if (name === undefined || packageName === undefined) {
        this.#context.ignored('entries of advisories that name no package');
        continue;
      }
      const found = ecosystemOf(name);
      if (found === undefined) {
        this.#context.ignored(`packages of the ecosystem ${nameOfEcosystem(name)}`);
        continue;
      }
      this.#given.add(name);
      for (const known of this.#packages.find(name, packageName)) {
        const why = affectedBy(affected, known.version, found.ecosystem.compare);
        // Of RPM, versions of modules are not comparable, and are counted as such.
        if (why === 'unknown' && found.ecosystem.type !== 'rpm_package')
          this.#context.ignored(
            `versions of ${nameOfEcosystem(name)} that cannot be compared with an advisory`,
          );
        if (why === undefined || why === 'unknown') continue;
        const { range, fixed } = why;
        const facts = {
          advisory: id,
          source: sourceOf(advisory, id),
          match: 'osv',
          range,
          fixed_versions: fixed === undefined ? undefined : [fixed],
        };
        this.#records.relate(known.key, 'HAS', this.#vulnerability(advisory, affected), facts);
      }
    }
  }

  /** Counts the packages of which no advisory could say anything. */
  end(): void {
    for (const [system, count] of this.#packages.withoutAdvisories(this.#given))
      this.#context.ignored(`packages of ${system}, of which there are no advisories`, count);
    this.#context.ignored(
      'packages of modules of RPM, whose streams advisories do not say',
      this.#packages.modularCount,
    );
  }

  #vulnerability(advisory: DocumentValue, affected: DocumentValue): EntityKey {
    const { name, aliases } = vulnerabilityNames(advisory.required('id'), [
      ...advisory.texts('aliases'),
      ...advisory.texts('upstream'),
    ]);
    const facts: Facts = {
      name,
      aliases: aliases.length === 0 ? undefined : aliases,
      description: advisory.text('summary') ?? advisory.text('details')?.slice(0, 1_000).toWellFormed(),
      severity: severityOf(advisory) ?? severityOf(affected),
      cvss: vectorOf(advisory) ?? vectorOf(affected),
      published: advisory.text('published'),
    };
    return this.#records.entity({ type: 'vulnerability', key: fittingKey(name) }, 'Vulnerability', facts);
  }
}

function namesOf(affected: DocumentValue): {
  readonly ecosystem: string | undefined;
  readonly name: string | undefined;
} {
  const item = affected.object('package');
  return { ecosystem: item.text('ecosystem'), name: item.text('name') };
}

/** Of the advisory, or of the package where packages differ. */
function vectorOf(value: DocumentValue): string | undefined {
  return value.objects('severity').flatMap((each) => each.text('score') ?? [])[0];
}

/** Databases state a word beside the vector. */
function severityOf(value: DocumentValue): string | undefined {
  const stated = [value.object('database_specific'), value.object('ecosystem_specific')];
  const text = stated.map((each) => each.value['severity']).find((each) => typeof each === 'string');
  if (typeof text !== 'string') return undefined;
  return SEVERITIES.get(text.toLowerCase()) ?? text.toLowerCase();
}

/** Where the advisory comes from: its own link, else the prefix of its id. */
function sourceOf(advisory: DocumentValue, id: string): string {
  const source = advisory.object('database_specific').value['source'];
  return typeof source === 'string' ? source : (id.split('-')[0] ?? id);
}
