import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What a provider under test has issued, by kind and id. */
const issued = new Map<string, AdapterPayload>();

/** Keeps it in memory: each test starts its provider anew. */
export class ProviderMemory implements Adapter {
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  upsert(id: string, payload: AdapterPayload): Promise<void> {
    issued.set(this.#keyOf(id), payload);
    return Promise.resolve();
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return Promise.resolve(issued.get(this.#keyOf(id)));
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return Promise.resolve(this.#payloads().find((payload) => payload.uid === uid));
  }

  findByUserCode(code: string): Promise<AdapterPayload | undefined> {
    return Promise.resolve(this.#payloads().find((payload) => payload.userCode === code));
  }

  consume(id: string): Promise<void> {
    const payload = issued.get(this.#keyOf(id));
    if (payload !== undefined) payload.consumed = true;
    return Promise.resolve();
  }

  destroy(id: string): Promise<void> {
    issued.delete(this.#keyOf(id));
    return Promise.resolve();
  }

  revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, payload] of issued) if (payload.grantId === grantId) issued.delete(key);
    return Promise.resolve();
  }

  #keyOf(id: string): string {
    return `${this.#kind} ${id}`;
  }

  #payloads(): AdapterPayload[] {
    return [...issued].filter(([key]) => key.startsWith(`${this.#kind} `)).map(([, payload]) => payload);
  }
}
