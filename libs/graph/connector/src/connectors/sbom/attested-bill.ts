import type { EntityKey } from '#graph/model';
import { imageOfUrl } from '../image/bill-image.ts';
import { IMAGE, imageRecords, type ImageRecords, parseImageName } from '../image/container-image.ts';
import type { Bill, ExternalReference, Facts } from './bill-builder.ts';
import { type ComponentName, componentName } from './component-name.ts';
import type { AttestedSubject } from './format/attestation.ts';
import { mergedBills } from './merged-bills.ts';

/** A registry, with a host name or a port, and a path in it: other names may be those of files. */
const REPOSITORY = /^[^/]*[.:][^/]*\/[^@]+$|^localhost\/[^@]+$/;

/** What the subjects of an attestation have of a bill. */
interface Contents {
  readonly verb: 'CONTAINS' | 'HAS' | 'MAPS_TO';
  readonly ends: readonly EntityKey[];
  readonly properties: Facts;
}

/**
 * The bill with the images that its attestation is about. An image MAPS_TO the subject of the bill, or
 * CONTAINS the packages of a bill without one. What is named like a file may be an image that other sources
 * know by its digest.
 */
export function attestedBill(bill: Bill, subjects: readonly AttestedSubject[]): Bill {
  if (subjects.length === 0) return bill;
  const [project] = endsOf(bill, 'Project');
  return related(bill, subjects, {
    verb: project === undefined ? 'CONTAINS' : 'MAPS_TO',
    ends: project === undefined ? endsOf(bill, 'Package') : [project],
    properties: {},
  });
}

/** Vulnerabilities of a list without packages: the images and packages that were scanned HAS them. */
export function attestedVulnerabilities(
  list: Bill,
  subjects: readonly AttestedSubject[],
  properties: Facts,
): Bill {
  return related(list, subjects, { verb: 'HAS', ends: endsOf(list, 'Vulnerability'), properties });
}

function related(bill: Bill, subjects: readonly AttestedSubject[], contents: Contents): Bill {
  const repositories = repositoriesOf(bill);
  const images: ImageRecords[] = [];
  const owners: EntityKey[] = [];
  const external: ExternalReference[] = [];
  let others = 0;
  for (const subject of subjects) {
    const records = imageOf(subject, repositories);
    const item = contents.verb === 'HAS' ? packageOf(subject) : undefined;
    if (records !== undefined) images.push(records);
    const owner = records?.image ?? item;
    if (owner !== undefined) owners.push(owner);
    else if (contents.verb === 'CONTAINS' || subject.digests.length === 0) others++;
    else for (const digest of subject.digests) external.push(...byDigest(digest, contents));
  }
  const { verb, ends, properties } = contents;
  const found = {
    entities: images.flatMap(({ entities }) => entities),
    relationships: [
      ...images.flatMap(({ relationships }) => relationships),
      ...owners.flatMap(({ type, key }) => ends.map((to) => ({ from: { type, key }, verb, to, properties }))),
    ],
    unresolved: [],
    external,
    ignored: new Map(others === 0 ? [] : [['subjects of attestations that name no image', others]]),
    warnings: [],
    isWhole: true,
  };
  return mergedBills([bill, found]);
}

function endsOf({ entities }: Bill, className: string): readonly EntityKey[] {
  return entities.filter((each) => each.class === className).map(({ type, key }) => ({ type, key }));
}

/** The package of other sources that a subject is. */
function packageOf({ name }: AttestedSubject): ComponentName | undefined {
  return componentName({ purl: name, plainName: undefined, isSubject: false });
}

/** The repositories of the images that a bill of a container says it is of. */
function repositoriesOf({ entities }: Bill): ReadonlySet<string> {
  const images = entities.filter(({ type, properties }) => type === IMAGE && properties?.['repository']);
  return new Set(images.map(({ properties }) => String(properties?.['repository'])));
}

/** The image, if the subject says of which repository it is. */
function imageOf(
  { name = '', digests }: AttestedSubject,
  known: ReadonlySet<string>,
): ImageRecords | undefined {
  const urlNames = imageOfUrl(name)?.names ?? [];
  const own = digests.filter((digest) => /^sha(?:256|512):/.test(digest));
  const repositories = urlNames.length > 0 ? urlNames.flatMap(repositoriesIn) : repositoryOf(name, known);
  const exact = repositories.flatMap((each) => own.map((digest) => `${each}@${digest}`));
  return exact.length === 0 ? undefined : imageRecords([...exact, ...urlNames]);
}

/** That of a name with its registry, or one as the bill itself has it; cosign may leave the name out. */
function repositoryOf(name: string, known: ReadonlySet<string>): readonly string[] {
  if (name === '') return known.size === 1 ? [...known] : [];
  return repositoriesIn(name).filter((each) => known.has(each) || REPOSITORY.test(name));
}

function repositoriesIn(name: string): readonly string[] {
  return [parseImageName(name)?.repository].filter((each) => each !== undefined);
}

function byDigest(reference: string, { verb, ends, properties }: Contents): readonly ExternalReference[] {
  const reason = `subject: ${reference.slice(0, 80)} is an image of another source, or none`;
  return ends.map((owner) => ({ owner, end: 'to', verb, reason, reference, properties }));
}
