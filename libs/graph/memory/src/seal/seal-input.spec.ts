import { describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { entity, putEntity, putRelationship, relationship } from '#graph/testing';
import { emptyBase } from '../base/base.ts';
import { GraphWriter } from '../graph-writer.ts';
import { buildBase } from './build-base.ts';
import { copySealInput, sealInput, type SealInput } from './seal-input.ts';

const [web, db, nginx] = ['web', 'db', 'nginx'].map((key) => entity('host', 'Host', key)) as [
  ReturnType<typeof entity>,
  ReturnType<typeof entity>,
  ReturnType<typeof entity>,
];

class Writer extends GraphWriter {
  constructor() {
    super(emptyBase());
    for (const host of [web, db]) putEntity(this, 1, host);
    putRelationship(this, 1, relationship(web, 'USES', db));
  }

  /** Part of a later batch: adds, changes and links. */
  change(n: number): void {
    const late = entity('host', 'Host', `late-${String(n)}`);
    putEntity(this, 2, late);
    putEntity(this, 2, { ...web, displayName: `web ${String(n)}` });
    putRelationship(this, 2, relationship(late, 'USES', db));
    putEntity(this, 2, nginx);
  }

  get copied(): Parameters<typeof sealInput> {
    const limits = { nodeLimit: this.delta.nodes.count, linkLimit: this.delta.links.count };
    return [this.delta, this.names, { seq: 1, purgeBeforeMs: 0, ...limits }];
  }
}

describe('copySealInput', () => {
  it('returns the graph at its point despite writes between its steps', () => {
    const writer = new Writer();
    const expected = buildBase(sealInput(...writer.copied));

    const copying = copySealInput(...writer.copied);
    let input: SealInput | undefined;
    for (let n = 0; input === undefined; n++) {
      writer.change(n);
      const step = copying.next();
      if (step.done === true) input = step.value;
    }
    const sealed = buildBase(input);

    expect(writer.findEntity(entityId('host', 'late-1'))).toBeGreaterThan(0);
    expect(sealed.meta).toMatchObject({ nodeCount: 2, linkCount: 1, liveNodes: 2, liveLinks: 1 });
    expect(sealed.buffers[0]).toEqual(expected.buffers[0]);
    expect(sealed.meta.nodeArena.map((part) => sealed.buffers[part])).toEqual(
      expected.meta.nodeArena.map((part) => expected.buffers[part]),
    );
  });
});
