/** The writer's view of the latest versions. *Hot path* of the diff of a sync. */
import type { EntityInput, Properties, PropertyKinds } from '#graph/model';
import type { UnsignedArray } from './array/buffer-bag.ts';
import { Uint32List } from './array/number-list.ts';
import type { VersionLog } from './delta/version-log.ts';
import type { View } from './delta/view.ts';
import type { HeadBytes } from './head/head-window.ts';
import type { EntityState, RelationshipState, Stamp } from './stamp/version.ts';

/** The latest version of one entity, decoded lazily; valid until the writer's next `await`. */
export class LatestEntity implements EntityState {
  readonly #view: View;
  readonly #node: number;
  #input: EntityInput | undefined;

  constructor(view: View, node: number) {
    this.#view = view;
    this.#node = node;
  }

  get type(): string {
    return this.#view.nodeType(this.#node);
  }

  get key(): string {
    return String(this.#view.nodeField(this.#node, '_key'));
  }

  get class(): string {
    return String(this.#view.nodeField(this.#node, 'class'));
  }

  get displayName(): string {
    return String(this.#view.nodeField(this.#node, 'display_name'));
  }

  get labels(): readonly string[] | undefined {
    return this.#view.labels(this.#node);
  }

  get stamp(): Stamp {
    return this.#view.nodeStamp(this.#node);
  }

  get owners(): readonly string[] {
    return this.#view.nodeOwners(this.#node);
  }

  get isDeleted(): boolean {
    return this.#view.isNodeDeleted(this.#node);
  }

  properties(): Properties {
    this.#input ??= this.#view.input(this.#node);
    return this.#input.properties;
  }

  kinds(): PropertyKinds | undefined {
    this.#input ??= this.#view.input(this.#node);
    return this.#input.kinds;
  }

  head(): Uint8Array {
    const { bytes, start, end } = this.readHead();
    return Buffer.from(bytes.subarray(start, end));
  }

  readHead(): HeadBytes {
    return this.#view.head(this.#node);
  }
}

/** The latest version of one relationship, decoded lazily; valid until the writer's next `await`. */
export class LatestRelationship implements RelationshipState {
  readonly #view: View;
  readonly #link: number;

  constructor(view: View, link: number) {
    this.#view = view;
    this.#link = link;
  }

  get from(): number {
    return this.#view.delta.from(this.#link);
  }

  get to(): number {
    return this.#view.delta.to(this.#link);
  }

  get verb(): string {
    return this.#view.linkVerb(this.#link);
  }

  get key(): string | undefined {
    return this.#view.linkText(this.#link).key;
  }

  get stamp(): Stamp {
    return this.#view.linkStamp(this.#link);
  }

  get owners(): readonly string[] {
    return this.#view.linkOwners(this.#link);
  }

  get isDeleted(): boolean {
    return this.#view.isLinkDeleted(this.#link);
  }

  properties(): Properties {
    return this.#view.linkText(this.#link).properties();
  }

  kinds(): PropertyKinds | undefined {
    return this.#view.linkText(this.#link).kinds();
  }

  propertiesJson(): Uint8Array {
    return this.#view.linkText(this.#link).propertiesJson();
  }
}

/** The nodes, or links, owned by a connector: flags by owner set, over all rows. */
interface OwnedScope {
  /** Owner set of each of the base's rows. */
  readonly owners: UnsignedArray;
  readonly liveCount: number;
  /** 1 for each owner set that contains the connector. */
  readonly flags: Uint8Array;
}

/** Live items by their latest versions. */
export function ownedItems(log: VersionLog, { owners, liveCount, flags }: OwnedScope): Uint32Array {
  const found = new Uint32List();
  for (let item = 0; item < liveCount; item++) {
    if (flags[owners[item]!] === 1 && log.latest(item) === 0) found.push(item);
  }
  for (let version = 1; version <= log.count; version++) {
    const item = log.item.data[version]!;
    if (log.latest(item) !== version || log.isDeleted.data[version] === 1) continue;
    if (flags[log.owners.data[version]!] === 1) found.push(item);
  }
  return found.data.slice(0, found.length);
}
