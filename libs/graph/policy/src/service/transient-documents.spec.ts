import { describe, expect, it } from '@jest/globals';
import { UNSHARED } from '#graph/engine';
import {
  FINDINGS_PREFIX,
  NAMESPACE,
  type PolicyDocument,
  type PolicyDocuments,
  RULE_PREFIX,
  transientDocuments,
} from './policy-ports.ts';

const STORED = [`${FINDINGS_PREFIX}r`, `${RULE_PREFIX}r`];

class StoredDocuments implements PolicyDocuments {
  changes = 0;
  readonly exclusively = UNSHARED.exclusively;
  readonly onForeign = UNSHARED.onForeign;

  async change(): Promise<void> {
    this.changes++;
  }

  async get(_namespace: string, id: string): Promise<unknown> {
    return STORED.includes(id) ? id : undefined;
  }

  async *all(_namespace: string, idPrefix = ''): AsyncIterable<PolicyDocument> {
    for (const id of STORED) if (id.startsWith(idPrefix)) yield { id, value: id };
  }
}

describe('transientDocuments', () => {
  const stored = new StoredDocuments();
  const documents = transientDocuments(stored);
  const idsOf = async (idPrefix?: string) => {
    const ids: string[] = [];
    for await (const { id } of documents.all(NAMESPACE, idPrefix)) ids.push(id);
    return ids;
  };

  it('returns the stored documents except the rules', async () => {
    expect(await idsOf(FINDINGS_PREFIX)).toEqual([`${FINDINGS_PREFIX}r`]);
    expect(await idsOf(RULE_PREFIX)).toEqual([]);
    expect(await idsOf()).toEqual(STORED);
    expect(await documents.get(NAMESPACE, `${FINDINGS_PREFIX}r`)).toBe(`${FINDINGS_PREFIX}r`);
  });

  it('writes nothing', async () => {
    await documents.change(NAMESPACE, [{ id: `${FINDINGS_PREFIX}r`, value: {} }]);

    expect(stored.changes).toBe(0);
  });
});
