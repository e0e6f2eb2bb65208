/** Checks that several nodes answer like one node with a directory. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Graph, recordsOf, type SyncRequest, type WriteRequest } from '#graph/engine';
import type { EntityStatement, RelationshipInput } from '#graph/model';
import { DomainError, errorCodeOf, pause, seededRandom } from '#platform/foundation';
import type { Check } from './check.ts';
import { numbered } from './check-nodes.ts';
import { type Finding, found } from './finding.ts';
import { countIn, end, knows, person, seenOn, setAll } from './people.ts';
import type { Scene } from './traffic.ts';

const REQUESTS = 300;
const SEED = 1;
const PEOPLE = 8;
const CONNECTORS = ['scan', 'cloud'] as const;
const POLICIES = ['refuse', 'skip', 'stub'] as const;
const REACH_MS = 10_000;
/** A batch of more than two parts of 4 MiB. */
const LARGE = { people: 1_200, bytes: 8_000 };
/** Twice the base size: a base is due when the log has outgrown the last one. */
const BASE_ROUNDS = 8;
const LEASE_MS = 200;
/** A lease that is not released is held for longer than it is waited for. */
const HELD_MS = 3 * REACH_MS;
const POLL_MS = 20;

export const CONFORMANCE: readonly Check[] = [
  { id: 'answers', name: 'requests are answered as by one node', run: sameAnswers },
  { id: 'parts', name: 'a large batch is whole on every node', run: largeBatch },
  { id: 'repeats', name: 'a repeated write has one effect, on any node', run: repeatedWrite },
  { id: 'hung', name: 'a write that is repeated while its COMMIT hangs has one effect', run: hungCommit },
  { id: 'sessions', name: 'a session goes on on another node', run: session },
  { id: 'leases', name: 'one node at a time holds a lease', run: lease },
  { id: 'base', name: 'a new node begins with a base', run: base },
];

interface Step {
  readonly at: number;
  readonly run: (graph: Graph) => Promise<unknown>;
}

/** The same requests, to the nodes in turn and to a local graph, give the same replies and records. */
async function sameAnswers({ nodes, signal }: Scene): Promise<Finding> {
  const alone = await nodes.alone();
  const differences: string[] = [];
  let done = 0;
  for (const { at, run } of steps()) {
    if (signal.aborted) break;
    nodes.clock.turn();
    const expected = await answerOf(run(alone));
    const actual = await answerOf(run(nodes.node(at).graph));
    done++;
    if (!isDeepStrictEqual(actual, expected))
      differences.push(
        `request ${String(done)}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
      );
  }
  await nodes.caughtUp();
  const late = await nodes.late();
  const records = recordsOf(alone);
  for (const [at, { graph }] of [...nodes.all, late].entries())
    if (!isDeepStrictEqual(recordsOf(graph), records))
      differences.push(`node ${String(at + 1)} holds other records`);
  const count = records.entities.length + records.relationships.length;
  const seen = `${String(done)} requests to ${String(nodes.all.length)} nodes in turn, ${String(count)} records`;
  return found(differences, seen, done === REQUESTS && count > 0);
}

/** A large batch written on one node is read byte for byte on every other. */
async function largeBatch({ nodes }: Scene): Promise<Finding> {
  const text = 'x'.repeat(LARGE.bytes);
  const entities = Array.from({ length: LARGE.people }, (_, at) =>
    person(`large-${String(at)}`, { group: 'large', text: `${text}${String(at)}` }),
  );
  const { seq } = await numbered(() => written(nodes.node(0).graph, { entities, relationships: [] }));
  const broken: string[] = [];
  for (const [at, { graph }] of nodes.all.entries()) {
    await graph.reached(seq, REACH_MS);
    const snapshot = graph.snapshot();
    const count = countIn(snapshot, 'large');
    snapshot.release();
    if (count !== LARGE.people)
      broken.push(`node ${String(at + 1)} shows ${String(count)} of ${String(LARGE.people)}`);
  }
  const [first, ...others] = nodes.all.map(({ graph }) => recordsOf(graph));
  if (others.some((records) => !isDeepStrictEqual(records, first)))
    broken.push('nodes hold different records');
  const mebibytes = Math.round((LARGE.people * LARGE.bytes) / 2 ** 20);
  return found(broken, `one batch of ${String(LARGE.people)} people, ${String(mebibytes)} MiB`, true);
}

/** A client without an answer repeats its request. */
async function repeatedWrite({ nodes }: Scene): Promise<Finding> {
  const broken: string[] = [];
  const times = 5;
  for (let n = 1; n <= times; n++) {
    const request = { writeId: randomUUID(), entities: [person('repeated', { n })], relationships: [] };
    const replies = await Promise.all(nodes.all.map(({ graph }) => graph.write(request)));
    replies.push(await nodes.node(n).graph.write(request));
    if (replies.some((reply) => !isDeepStrictEqual(reply, replies[0]))) broken.push('replies differ');
    await setAll(nodes.node(n), ['repeated'], -n);
    await nodes.node(n + 1).graph.write(request);
    await nodes.caughtUp();
    const values = nodes.all.map((node) => seenOn(node, ['repeated']).values.get('repeated'));
    if (values.some((value) => value !== -n))
      broken.push(`${String(n)} was written again: ${values.join(', ')}`);
  }
  return found(
    broken,
    `${String(times)} writes, each ${String(nodes.all.length + 2)} times on all nodes`,
    true,
  );
}

/** The client repeats its request on the same node, while another client writes on another one. */
async function hungCommit({ nodes }: Scene): Promise<Finding> {
  const [first, second] = [nodes.node(0), nodes.node(1)];
  await setAll(first, ['hung'], 0);
  const request = { writeId: randomUUID(), entities: [person('hung', { n: 1 })], relationships: [] };
  const held = await nodes.holdCommits();
  const again = isUnavailable(first.graph.write(request)).then((hasHung) => ({
    hasHung,
    replies: Promise.allSettled([first.graph.write(request), setAll(second, ['hung'], 2)]),
  }));
  const { hasHung, replies } = await again.finally(() => held.release());
  for (const reply of await replies) if (reply.status === 'rejected') throw reply.reason;
  await nodes.caughtUp();
  const { violations } = await nodes.repeatedReplies();
  return found(violations, hasHung ? 'one write, repeated' : 'no COMMIT hung', hasHung);
}

async function isUnavailable(reply: Promise<unknown>): Promise<boolean> {
  try {
    await reply;
    return false;
  } catch (error) {
    if (errorCodeOf(error) === 'STORE_UNAVAILABLE') return true;
    throw error;
  }
}

async function session({ nodes }: Scene): Promise<Finding> {
  const scope = { connectorId: 'check-session', syncId: randomUUID(), mode: 'patch' } as const;
  const { session_id: id } = await nodes.node(0).graph.sessions.open(scope);
  const keys = nodes.all.map((_, at) => `session-${String(at)}`);
  for (const [at, key] of keys.entries()) {
    const { graph } = nodes.node(at + 1);
    await graph.sessions.putBatch(id, at + 1, { entities: [person(key, { n: at })], relationships: [] });
  }
  const reply = await nodes.node(0).graph.sessions.commit(id);
  const again = await nodes.node(1).graph.sessions.commit(id);
  const broken = isDeepStrictEqual(again, reply) ? [] : ['a commit that is repeated on another node differs'];
  if (reply.entities_created !== keys.length)
    broken.push(`${String(reply.entities_created)} of ${String(keys.length)} people were created`);
  return found(broken, `${String(keys.length)} batches over ${String(nodes.all.length)} nodes`, true);
}

async function lease({ nodes, signal }: Scene): Promise<Finding> {
  const broken: string[] = [];
  const rounds = 10;
  let done = 0;
  for (; done < rounds && broken.length === 0 && !signal.aborted; done++) {
    const name = `check-${String(done)}`;
    let held: readonly boolean[] = [];
    // A slow database may answer no node in time: then none knows that it holds the lease.
    const isHeld = await comesFree(async () => {
      held = await Promise.all(nodes.all.map(({ store }) => store.hold(name, HELD_MS)));
      return held.includes(true);
    });
    if (!isHeld) break;
    const holders = held.filter(Boolean).length;
    if (holders > 1) broken.push(`${String(holders)} nodes held a lease at once`);
    const [holder] = nodes.all.filter((_, at) => held[at]);
    await holder?.store.release(name);
    const next = nodes.node(held.indexOf(true) + 1);
    if (!(await comesFree(() => next.store.hold(name, LEASE_MS))))
      broken.push('what was released could not be held');
    const another = nodes.node(held.indexOf(true) + 2).store;
    if (!(await comesFree(() => another.hold(name, LEASE_MS)))) broken.push('a lease did not end by itself');
  }
  return found(broken, `${String(done)} leases, held, released, ended`, done === rounds);
}

/** After the log was trimmed to the base before the last, a new node has the same contents. */
async function base({ nodes }: Scene): Promise<Finding> {
  const broken: string[] = [];
  let bases = 0;
  for (let round = 1; round <= BASE_ROUNDS && bases < 2; round++) {
    const text = 'y'.repeat(2 * LARGE.bytes);
    const entities = Array.from({ length: LARGE.people }, (_, i) =>
      person(`base-${String(i)}`, { text, round }),
    );
    await written(nodes.node(round).graph, { entities, relationships: [] });
    if (await nodes.node(round).store.base()) bases++;
  }
  const first = await nodes.firstOfLog();
  if (first === 1) broken.push('the log before a base was not forgotten');
  const late = await nodes.late();
  await nodes.caughtUp();
  const [one, other] = [recordsOf(nodes.node(0).graph), recordsOf(late.graph)];
  if (!isDeepStrictEqual(one, other)) broken.push('a node that began with a base holds other records');
  return found(broken, `${String(bases)} bases; the log begins at ${String(first)}`, one.entities.length > 0);
}

/** A slow database refuses a large write for a time: it is repeated with its id. */
async function written(graph: Graph, request: WriteRequest): Promise<unknown> {
  const identified = { ...request, writeId: randomUUID() };
  const deadline = AbortSignal.timeout(REACH_MS);
  for (;;) {
    try {
      return await graph.write(identified);
    } catch (error) {
      if (errorCodeOf(error) !== 'STORE_UNAVAILABLE' || deadline.aborted) throw error;
    }
  }
}

async function comesFree(hold: () => Promise<boolean>): Promise<boolean> {
  const deadline = AbortSignal.timeout(REACH_MS);
  while (!deadline.aborted) {
    if (await hold()) return true;
    await pause(POLL_MS, deadline);
  }
  return false;
}

/** Leaves out generated names; of an error, code and message are compared. */
async function answerOf(reply: Promise<unknown>): Promise<unknown> {
  try {
    return await reply;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'STORE_UNAVAILABLE') throw error;
    return { code: error.code, message: error.message };
  }
}

/** Few people, so that requests hit the same records repeatedly. */
function* steps(): Iterable<Step> {
  const random = seededRandom(SEED);
  const below = (bound: number): number => Math.floor(random() * bound);
  const one = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0];
  const key = (): string => `p${String(below(PEOPLE))}`;
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);
  const properties = (): EntityStatement['properties'] => ({
    n: below(5),
    [one(['a', 'b', 'c'])]: one([null, 1, 'ä🦊']),
  });
  const people = (): EntityStatement[] => [
    ...new Map(some(5, () => person(key(), properties())).map((each) => [each.key, each])).values(),
  ];
  const pairs = (): RelationshipInput[] => some(3, () => knows(key(), key(), properties()));
  for (let at = 0; at < REQUESTS; at++) {
    const onDangling = one(POLICIES);
    const records = { entities: people(), relationships: pairs() };
    if (random() < 0.5) {
      const gone = { entities: some(2, () => end(key())), relationships: some(1, () => knows(key(), key())) };
      const request: WriteRequest = { ...records, writeId: `w${String(below(REQUESTS))}`, delete: gone };
      yield { at, run: (graph) => graph.write(request, { onDangling }) };
    } else {
      const request: SyncRequest = {
        ...records,
        connectorId: one(CONNECTORS),
        syncId: `s${String(below(REQUESTS))}`,
        mode: one(['diff', 'patch']),
        force: true,
      };
      yield { at, run: (graph) => graph.sync(request, { onDangling }) };
    }
  }
}
