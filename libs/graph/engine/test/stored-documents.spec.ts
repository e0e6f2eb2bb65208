import { describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { CrashDisk } from '#testing';
import { type DocumentKind, keptDocuments } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';

const ANN = { type: 'person', key: 'Ann "A" Lee', properties: {} };
const ID = entityId(ANN.type, ANN.key);
const NOTES: DocumentKind = {
  namespace: 'notes',
  prefix: 'of/',
  noun: 'note',
  without: (value, erasure) => {
    const { about } = value as { readonly about: { readonly type: string; readonly key: string } };
    return erasure.isEntity(about) ? undefined : erasure.redacted(value);
  },
};
const KINDS = [NOTES, keptDocuments('texts', '', 'text')];
const BOB = { type: 'person', key: 'bob', properties: {} };

async function opened(): Promise<GraphHarness> {
  const harness = await GraphHarness.opened(1, { documentKinds: KINDS });
  await harness.graph.write({ entities: [ANN], relationships: [] });
  return harness;
}

describe('documents of a program that forgets', () => {
  it('lose what they have of an entity by their kind, and are read again', async () => {
    const { graph } = await opened();
    let read = 0;
    graph.documents.onForeign('notes', 'of/', async () => {
      read++;
    });
    await graph.documents.change('notes', [
      { id: 'of/1', value: { about: ANN } },
      { id: 'of/2', value: { about: BOB, reason: `with ${ANN.key}, not Anna` } },
      { id: 'of/3', value: { about: BOB, reason: 'alone' } },
    ]);
    await graph.documents.change('texts', [
      { id: 'q', value: { text: `FIND person WITH _key = '${ANN.key}'` } },
      { id: 'r', value: { text: `${ANN.key}s and others` } },
    ]);

    const reply = await graph.forgetting.forget(ID);

    expect(reply).toMatchObject({ documents_changed: 2, naming_more: 0 });
    expect(reply.naming).toEqual([{ kind: 'text', id: 'q', until: null }]);
    expect(await graph.documents.get('notes', 'of/1')).toBeUndefined();
    expect(await graph.documents.get('notes', 'of/2')).toEqual({
      about: BOB,
      reason: 'with [forgotten], not Anna',
    });
    expect(read).toBe(1);
    await graph.close();
  });

  it('are without it in what is written later, until it is there again', async () => {
    const { graph } = await opened();
    const about = async (): Promise<unknown> => {
      await graph.documents.change('notes', [{ id: 'of/4', value: { about: ANN } }]);
      return graph.documents.get('notes', 'of/4');
    };
    const before = await about();
    await graph.forgetting.forget(ID);

    const after = await about();
    await graph.write({ entities: [ANN], relationships: [] });
    const again = await about();

    expect([before, after, again]).toEqual([{ about: ANN }, undefined, { about: ANN }]);
    await graph.close();
  });

  it('are all registered: others cannot be written', async () => {
    const { graph } = await opened();

    expect(() => graph.documents.change('notes', [{ id: 'other/1', value: 1 }])).toThrow(
      'are not registered',
    );
    expect(() => graph.documents.change('new', [{ id: '', value: 1 }])).toThrow('are not registered');
    await graph.close();
  });

  it('of a kind that the program does not know let a removal wait for one that does', async () => {
    const harness = new GraphHarness(new CrashDisk(1));
    await harness.open();
    await harness.graph.write({ entities: [ANN], relationships: [] });
    await harness.graph.documents.change('notes', [{ id: 'of/1', value: { about: ANN } }]);

    await expect(harness.graph.forgetting.forget(ID)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await harness.reopen({ documentKinds: KINDS });
    await harness.graph.forgetting.settled();

    expect(await harness.graph.documents.get('notes', 'of/1')).toBeUndefined();
    expect(await harness.graph.forgetting.forget(ID)).toMatchObject({ naming: null });
    await harness.close();
  });

  it('go with sessions that state it, which are aborted, and names in replies, which keep their counts', async () => {
    const { graph } = await opened();
    const session = await graph.sessions.open({ connectorId: 'hr', syncId: '1' });
    const other = await graph.sessions.open({ connectorId: 'hr', syncId: '2' });
    await graph.sessions.putBatch(session.session_id, 1, { entities: [ANN], relationships: [] });
    await graph.sessions.putBatch(other.session_id, 1, { entities: [BOB], relationships: [] });
    const missing = { from: BOB, verb: 'KNOWS', to: ANN, properties: {} };
    const write = { writeId: 'w', entities: [BOB], relationships: [missing] };
    await graph.deleteEntity(ID);
    const first = await graph.write(write, { onDangling: 'skip' });
    expect(JSON.stringify(first.warnings)).toContain('Ann');

    await graph.forgetting.forget(ID);
    const again = await graph.write(write, { onDangling: 'skip' });

    expect((await graph.sessions.get(session.session_id)).state).toBe('aborted');
    expect((await graph.sessions.get(other.session_id)).state).toBe('open');
    expect(again).toMatchObject({ write_id: 'w', entities_written: first.entities_written });
    expect(JSON.stringify(again.warnings)).not.toContain('Ann');
    expect(again.warnings).toHaveLength(first.warnings.length);
    await graph.close();
  });
});
