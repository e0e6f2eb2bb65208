import type { EntityKey } from '#graph/model';
import { imageOfUrl } from '../image/bill-image.ts';
import { IMAGE, imageRecords, type ImageRecords, parseImageName } from '../image/container-image.ts';
import type { Bill, ExternalReference } from './bill-builder.ts';
import type { AttestedSubject } from './format/attestation.ts';
import { mergedBills } from './merged-bills.ts';

/** A registry, with a host name or a port, and a path in it: other names may be those of files. */
const REPOSITORY = /^[^/]*[.:][^/]*\/[^@]+$|^localhost\/[^@]+$/;

/**
 * The bill with the images that its attestation is about. An image MAPS_TO the subject of the bill, or
 * CONTAINS the packages of a bill without one. What is named like a file may be an image that other sources
 * know by its digest.
 */
export function attestedBill(bill: Bill, subjects: readonly AttestedSubject[]): Bill {
  if (subjects.length === 0) return bill;
  const project = bill.entities.find((entity) => entity.class === 'Project');
  const packages = bill.entities.filter((entity) => entity.class === 'Package');
  const verb = project === undefined ? 'CONTAINS' : 'MAPS_TO';
  const contents = (project === undefined ? packages : [project]).map(({ type, key }) => ({ type, key }));
  const repositories = repositoriesOf(bill);
  const images: ImageRecords[] = [];
  const external: ExternalReference[] = [];
  let others = 0;
  for (const subject of subjects) {
    const records = imageOf(subject, repositories);
    if (records !== undefined) images.push(records);
    else if (project === undefined || subject.digests.length === 0) others++;
    else for (const digest of subject.digests) external.push(byDigest(digest, project));
  }
  const found = {
    entities: images.flatMap(({ entities }) => entities),
    relationships: images.flatMap(({ image, relationships }) => [
      ...relationships,
      ...contents.map((to) => ({ from: image, verb, to })),
    ]),
    unresolved: [],
    external,
    ignored: new Map(others === 0 ? [] : [['subjects of attestations that name no image', others]]),
    warnings: [],
    isWhole: true,
  };
  return mergedBills([bill, found]);
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

function byDigest(digest: string, { type, key }: EntityKey): ExternalReference {
  const reason = `subject: ${digest.slice(0, 80)} is an image of another source, or none`;
  return { owner: { type, key }, end: 'to', verb: 'MAPS_TO', reason, reference: digest, properties: {} };
}
