import type { Properties } from '#graph/model';
import type { View } from '../delta/view.ts';
import type { RelationshipState, Stamp } from '../stamp/version.ts';

/**
 * The latest version of one relationship, each part read when asked for; valid until the writer's next
 * `await`.
 */
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

  propertiesJson(): Uint8Array {
    return this.#view.linkText(this.#link).propertiesJson();
  }
}
