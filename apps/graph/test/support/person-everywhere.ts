/** A person of whom everything that the service keeps says something. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entityId } from '#graph/model';
import { textsIn } from '#testing';
import type { Json } from './test-service.ts';

export type Call = (method: string, path: string, body?: object) => Promise<Json>;

/** Findings by entity, by a property, and of a group. */
const RULES = [
  { id: 'persons', query: 'FIND person' },
  { id: 'notes', query: 'FIND person', identity: ['note'] },
  { id: 'groups', query: 'FIND person AS p RETURN p._key, COUNT(p)' },
];

export class PersonEverywhere {
  readonly key: string;
  readonly name: string;
  readonly id: string;

  constructor(key: string) {
    this.key = key;
    this.name = `${key}Name`;
    this.id = entityId('person', key);
  }

  /** Writes it with a past, and has it evaluated, reported, answered, and sent in a session. */
  async state(call: Call): Promise<void> {
    const { key } = this;
    const person = (note: string): object => ({
      type: 'person',
      key,
      display_name: this.name,
      properties: { note: `${key}${note}` },
    });
    const web = { type: 'host', key: 'web-01' };
    const bob = { type: 'person', key: 'bob' };
    const owns = {
      from: { type: 'person', key },
      verb: 'OWNS',
      to: web,
      properties: { since: `${key}Edge` },
    };
    const missing = { from: { type: 'person', key }, verb: 'OWNS', to: { type: 'host', key: 'none' } };
    await call('POST', '/v1/policies', { rules: RULES });
    await call('POST', '/v1/ingest/write', { entities: [person('Old'), web, bob], relationships: [owns] });
    await call('POST', '/v1/ingest/write?on_dangling=skip', {
      write_id: `write ${this.id}`,
      entities: [person('Now')],
      relationships: [missing],
    });
    await call('POST', '/v1/policies/evaluate', {});
    for (const rule of ['persons', 'notes']) await this.#decide(call, rule);
    await call('PUT', '/v1/queries/hers', { text: `FIND person WITH note = '${key}'` });
    const session = await call('POST', '/v1/ingest/sessions', { connector_id: 'hr', sync_id: this.id });
    const path = `/v1/ingest/sessions/${String(session['session_id'])}`;
    await call('PUT', `${path}/batches/1`, { entities: [person('Next')], relationships: [] });
  }

  /** The decision about a finding with an identity of its own has its name in the reason. */
  async #decide(call: Call, rule: string): Promise<void> {
    const { findings } = await call('GET', `/v1/findings?rule=${rule}`);
    const own = (findings as readonly Json[]).find((each) => String(each['label']).includes(this.key));
    if (own === undefined) throw new Error(`${rule} has not found it: ${JSON.stringify(findings)}`);
    const reason = rule === 'notes' ? `as asked by ${this.key}` : 'for a while';
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const at = `/v1/findings/${encodeURIComponent(String(own['finding_id']))}`;
    await call('PUT', `${at}/decision`, { state: 'waived', reason, until });
  }

  /** The files below a directory with anything of it; looks again when the server removes one meanwhile. */
  async filesIn(directory: string): Promise<readonly string[]> {
    for (;;) {
      try {
        return await this.#filesNow(directory);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      }
    }
  }

  async #filesNow(directory: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      if (textsIn(await readFile(path)).some((text) => text.includes(this.key))) found.push(path);
    }
    return found;
  }
}
