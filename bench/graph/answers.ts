import { createHash } from 'node:crypto';
import { DEPTHS, type Questions } from '../data/questions.ts';
import type { Dataset } from '../data/dataset.ts';
import { OutLinks } from '../data/out-links.ts';
import { recordOf, type EntityRecord } from '../data/rows.ts';
import { LINK_KINDS } from '../data/vocabulary.ts';
import { inTurn, type Group, type OperationName } from '../targets/target.ts';

/**
 * An answer in comparable form; of time stamps and sources, which engines choose, only the names are kept.
 */
export type Digest = string;

const HOSTS_EVERY = 12;

/** Reduces the result of an operation. */
export function digest(operation: OperationName, answer: unknown): Digest {
  switch (operation) {
    case 'lookup':
      return digestRecords([answer as EntityRecord]);
    case 'hostsJson':
    case 'rackJson':
      return digestRecords(recordsIn(answer as Uint8Array));
    case 'group':
      return JSON.stringify(
        (answer as readonly Group[]).toSorted(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1)),
      );
    default:
      return String(answer);
  }
}

function recordsIn(json: Uint8Array): readonly EntityRecord[] {
  const parsed = JSON.parse(Buffer.from(json).toString()) as
    readonly EntityRecord[] | { readonly entities: readonly EntityRecord[] };
  return 'entities' in parsed ? parsed.entities : parsed;
}

/** The order counts, and so do the names of all fields, and the values fixed by the data. */
function digestRecords(records: readonly EntityRecord[]): Digest {
  const hash = createHash('sha256');
  for (const record of records) {
    const properties = Object.entries(record.properties).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const { id, type, class: entityClass, key, display_name: name, version } = record;
    hash.update(JSON.stringify([Object.keys(record), id, type, entityClass, key, name, version, properties]));
  }
  return `${records.length} records, ${hash.digest('hex').slice(0, 16)}`;
}

/** Computes the correct answers from the data with plain loops, without any engine. */
export class ReferenceAnswers {
  readonly #data: Dataset;
  readonly #out: OutLinks;
  readonly #answers: Readonly<Record<OperationName, (at: number) => unknown>>;

  constructor(data: Dataset, questions: Questions) {
    this.#data = data;
    this.#out = new OutLinks(data);
    this.#answers = this.#answersTo(questions);
  }

  digestOf(operation: OperationName, at: number): Digest {
    return digest(operation, this.#answers[operation](at));
  }

  #answersTo(asked: Questions): Record<OperationName, (at: number) => unknown> {
    const within = (depth: number): number | undefined =>
      this.#out.reachedWithin(asked.start.index, depth).at(-1);
    return {
      lookup: (at) => this.#record(inTurn(asked.lookups, at).index),
      hostsJson: () => this.#json((host) => host.properties.state === asked.state),
      rackJson: (at) => this.#json((host) => host.properties.rack === inTurn(asked.racks, at)),
      count: () => this.#hosts((host) => host.properties.state === asked.state).length,
      group: () => this.#regions(),
      notExists: () => this.#hosts((host) => host.properties.owner === undefined).length,
      either: () =>
        this.#hosts(
          ({ properties }) => properties.state === asked.otherState || properties.region === asked.region,
        ).length,
      twoHopsSelective: (at) => this.#ownersOfRunning(inTurn(asked.serviceNames, at)),
      twoHops: () => this.#ownersOfRunning(),
      breadthShallow: () => within(DEPTHS.shallow),
      breadthDeep: () => within(DEPTHS.deep),
      shortestPath: (at) => {
        const { fromIndex, toIndex } = inTurn(asked.pathEnds, at);
        return this.#out.hops(fromIndex, toIndex);
      },
    };
  }

  #json(keep: (record: EntityRecord) => boolean): Uint8Array {
    return Buffer.from(JSON.stringify(this.#hosts(keep)));
  }

  #hosts(keep: (record: EntityRecord) => boolean): EntityRecord[] {
    const kept: EntityRecord[] = [];
    for (let index = 0; index < this.#data.entityCount; index += HOSTS_EVERY) {
      const record = this.#record(index);
      if (keep(record)) kept.push(record);
    }
    return kept;
  }

  #record(index: number): EntityRecord {
    return recordOf({ index, id: this.#data.idAt(index), body: this.#data.entity(index) });
  }

  #regions(): Group[] {
    const sizes = new Map<string, number>();
    for (const { properties } of this.#hosts(() => true)) {
      sizes.set(properties.region, (sizes.get(properties.region) ?? 0) + 1);
    }
    return [...sizes];
  }

  /** Users that own a host that runs a service, optionally one with this name. */
  #ownersOfRunning(name?: string): number {
    const runners = new Set<number>();
    const owners = new Set<number>();
    this.#eachLink('RUNS', (host, service) => {
      if (name === undefined || this.#data.entity(service).properties.name === name) runners.add(host);
    });
    this.#eachLink('OWNS', (user, host) => {
      if (runners.has(host)) owners.add(user);
    });
    return owners.size;
  }

  #eachLink(verb: string, visit: (from: number, to: number) => void): void {
    const { from, to, kind, count } = this.#data.links;
    for (let link = 0; link < count; link++) {
      if (LINK_KINDS[kind[link] ?? 0]?.verb === verb) visit(from[link] ?? 0, to[link] ?? 0);
    }
  }
}
