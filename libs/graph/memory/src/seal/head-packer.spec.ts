import { describe, expect, it } from '@jest/globals';
import { entityId, type EntityInput } from '#graph/model';
import { entity, putEntity, STAMP, TEST_OPTIONS } from '#graph/testing';
import { MemoryGraph } from '../memory-graph.ts';
import { buildBase } from './build-base.ts';
import type { SealOutput } from './seal-input.ts';

/** A graph, and the results of its seals. */
class Sealed {
  readonly outputs: SealOutput[] = [];
  readonly graph = MemoryGraph.create({
    ...TEST_OPTIONS,
    runSeal: (input) => {
      const output = buildBase(structuredClone(input));
      this.outputs.push(output);
      return Promise.resolve(output);
    },
  });
  #seq = 0;

  async write(entities: readonly EntityInput[]): Promise<void> {
    this.#seq++;
    for (const input of entities) putEntity(this.graph, this.#seq, input);
    this.graph.publish(this.#seq);
    await this.graph.seal();
  }

  dictionary(seal: number): Uint8Array | undefined {
    const output = this.outputs[seal];
    return output?.buffers[output.meta.segments[0]?.dictionary ?? -1];
  }

  headBytes(seal: number): number {
    const output = this.outputs[seal];
    const parts = output?.meta.nodeArena ?? [];
    return parts.reduce((sum, part) => sum + (output?.buffers[part]?.byteLength ?? 0), 0);
  }

  /** The properties of an entity in the graph. */
  properties({ type, key }: EntityInput): unknown {
    return this.graph.entityState(this.graph.findEntity(entityId(type, key))).properties();
  }
}

const hosts = Array.from({ length: 400 }, (_, at) => {
  return entity('host', 'Host', `host-${String(at)}`, { region: 'eu-west-1', state: 'running', rack: at });
});

describe('heads of a sealed base', () => {
  it('keep their dictionary and their bytes if they are unchanged', async () => {
    const sealed = new Sealed();
    await sealed.write(hosts);
    const [changed] = hosts as [EntityInput];

    await sealed.write([{ ...changed, displayName: 'another' }]);

    expect(sealed.dictionary(1)).toEqual(sealed.dictionary(0));
    expect(Math.abs(sealed.headBytes(1) - sealed.headBytes(0))).toBeLessThan(32);
    for (const host of hosts) expect(sealed.properties(host)).toEqual(host.properties);
  });

  it('get a new dictionary when the old one no longer fits', async () => {
    const sealed = new Sealed();
    await sealed.write(hosts);
    const others = hosts.map(({ key }) =>
      entity('host', 'Host', key, { kernel_release: '6.12.0-amd64', owner_of_record: 'infrastructure' }),
    );

    await sealed.write(others);

    expect(sealed.dictionary(1)).not.toEqual(sealed.dictionary(0));
    expect(sealed.headBytes(1)).toBeLessThan(sealed.headBytes(0) * 1.5);
    for (const host of others) expect(sealed.properties(host)).toEqual(host.properties);
  });

  it('decode to the original, with any length and script, in types of one row and of many', async () => {
    const sealed = new Sealed();
    const odd = [
      entity('note', 'Record', 'long', { text: 'abc äöü 漢字 '.repeat(20_000), last: true }),
      entity('note', 'Record', 'schlüssel "quoted" \\ 鍵', {
        tags: ['ä', 'ß"', ''],
        none: [],
        more: [1, 2.5],
      }),
      entity('single', 'Record', 'one', {}),
    ];

    await sealed.write([...odd, ...hosts]);
    await sealed.write([entity('late', 'Record', 'one', {})]);

    for (const input of [...odd, ...hosts]) expect(sealed.properties(input)).toEqual(input.properties);
  });

  it('are readable together with heads of deleted entities of the same type', async () => {
    const sealed = new Sealed();
    await sealed.write(hosts);
    const [gone, kept] = hosts as [EntityInput, EntityInput];
    const node = sealed.graph.findEntity(entityId('host', gone.key));
    sealed.graph.deleteEntity(1, node, { ...STAMP, deletedAtMs: STAMP.syncedAtMs });

    await sealed.write([entity('late', 'Record', 'one', {})]);
    const head = sealed.graph.entityState(sealed.graph.findEntity(entityId('host', gone.key))).head();
    const other = sealed.properties(kept);

    expect(other).toEqual(kept.properties);
    expect(JSON.parse(`${Buffer.from(head).toString('utf8')}}`)).toMatchObject({ key: gone.key });
  });

  it('have less than a third of the size of their JSON', async () => {
    const sealed = new Sealed();

    await sealed.write(hosts);

    const raw = hosts.reduce((sum, host) => sum + Buffer.byteLength(JSON.stringify(host)) + 40, 0);
    expect(sealed.headBytes(0)).toBeLessThan(raw / 3);
  });
});
