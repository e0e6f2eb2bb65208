/**
 * A copy of a published graph that its owner changes back into the graph of an earlier moment. It shares the
 * base with the graph; the versions since the last seal are copied.
 */
import type { Steps } from '#platform/foundation';
import type { Delta } from './delta/delta.ts';
import type { View } from './delta/view.ts';
import { GraphWriter } from './graph-writer.ts';
import { OwnerTable } from './name/owner-table.ts';
import { VerbTable } from './name/verb-table.ts';
import { DeltaCounts } from './schema/delta-counts.ts';
import { Replay } from './seal/replay.ts';
import { GraphSnapshot } from './snapshot/graph-snapshot.ts';
import { Selector } from './snapshot/selector.ts';

/** Deleted so long ago that no snapshot shows it: the time of a record that did not exist at the moment. */
export const NEVER_MS = -8_640_000_000_000_000;

export interface MomentScope {
  /** The moment's sequence number. */
  readonly seq: number;
  readonly includeDeleted: boolean;
  /** The earliest visible deletion time. */
  readonly deletedSinceMs: number;
}

export class MomentGraph extends GraphWriter {
  readonly #parts = new Map<boolean, { readonly selector: Selector; readonly changes: DeltaCounts }>();
  #latest: View | undefined;

  private constructor(delta: Delta, { names: { verbs, owners } }: View) {
    super(delta.base, { verbs: new VerbTable(verbs.written), owners: new OwnerTable(owners.sets) });
    this.replaceDelta(delta);
  }

  static *of(view: View): Steps<MomentGraph> {
    const delta = yield* Replay.prefix(view, { nodeLimit: view.nodeLimit, linkLimit: view.linkLimit });
    return new MomentGraph(delta, view);
  }

  /** A copy, to be changed further. Call it only after the last change, like {@link snapshot}. */
  copy(): Steps<MomentGraph> {
    return MomentGraph.of(this.#view());
  }

  /** The graph as it is now. */
  snapshot({ seq, includeDeleted, deletedSinceMs }: MomentScope): GraphSnapshot {
    const view = this.#view();
    let parts = this.#parts.get(includeDeleted);
    if (parts === undefined) {
      const changes = new DeltaCounts(this.delta, includeDeleted);
      this.#parts.set(includeDeleted, (parts = { selector: new Selector(view, includeDeleted), changes }));
    }
    return new GraphSnapshot({
      ...parts,
      view,
      seq,
      includeDeleted,
      deletedSinceMs,
      onRelease: () => undefined,
    });
  }

  #view(): View {
    const { nodes, links } = this.delta;
    return (this.#latest ??= this.viewOf({ nodes: nodes.count, links: links.count }));
  }
}
