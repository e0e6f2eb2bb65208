import type { EntityInput, Properties } from '#graph/model';
import type { View } from '../delta/view.ts';
import type { EntityState, Stamp } from '../stamp/version.ts';

/** The latest version of one entity, each part read when asked for; valid until the writer's next `await`. */
export class LatestEntity implements EntityState {
  readonly #view: View;
  readonly #node: number;
  #input: EntityInput | undefined;

  constructor(view: View, node: number) {
    this.#view = view;
    this.#node = node;
  }

  get type(): string {
    return String(this.#view.nodeField(this.#node, '_type'));
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

  head(): Uint8Array {
    const { bytes, start, end } = this.#view.head(this.#node);
    return bytes.subarray(start, end);
  }
}
