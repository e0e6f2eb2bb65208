import type { Answer } from './test-service.ts';

export interface SeqToken {
  readonly text: string;
  readonly epoch: string;
  readonly seq: number;
}

/** The header of a reply, with its parts; a number that is missing is NaN. */
export function tokenOf({ headers }: Answer): SeqToken {
  const text = headers.get('Plexus-Seq') ?? '';
  const [epoch = '', seq] = text.split('.');
  return { text, epoch, seq: Number(seq) };
}

/** The header of a request. */
export function asking(token: string): Record<string, string> {
  return { 'Plexus-Seq': token };
}

/** The body of a write, or of a sync. */
export function hostsOf(...keys: readonly string[]): {
  readonly entities: object[];
  readonly relationships: [];
} {
  const entities = keys.map((key) => ({ type: 'host', class: 'Host', key, properties: {} }));
  return { entities, relationships: [] };
}
