/**
 * The anomalies of LDBC's ACID test suite (Waudby and others, 2020, "Towards Testing ACID Compliance in the
 * LDBC Social Network Benchmark"), over nodes that share nothing but the database. A transaction is a write
 * request or a snapshot; each check runs concurrent requests on all nodes that could produce its anomaly.
 */
import { randomUUID } from 'node:crypto';
import { DomainError, pause } from '#platform/foundation';
import type { Check } from './check.ts';
import { type CheckNode, numbered } from './check-nodes.ts';
import { type Finding, found } from './finding.ts';
import { History, STATES_LEAST, WRITES_LEAST } from './history.ts';
import { countIn, end, idOf, knows, person, seenOn, setAll, setTo, valuesIn } from './people.ts';
import { type Clients, type Scene, traffic } from './traffic.ts';

/** Number of requests whose order matters. */
const REQUESTS_LEAST = 20;
const REACH_MS = 5_000;
const MOVED_MS = 1_000;
const WAIT_MS = 1;

export const ISOLATION: readonly Check[] = [
  { id: 'G0', name: 'dirty write', run: dirtyWrite },
  { id: 'G1a', name: 'aborted read', run: abortedRead },
  { id: 'G1b', name: 'intermediate read', run: intermediateRead },
  { id: 'G1c', name: 'circular information flow', run: circularFlow },
  { id: 'IMP', name: 'item-many-preceders', run: itemManyPreceders },
  { id: 'PMP', name: 'predicate-many-preceders', run: predicateManyPreceders },
  { id: 'OTV', name: 'observed transaction vanishes', run: transactionVanishes },
  { id: 'FR', name: 'fractured read', run: fracturedRead },
  { id: 'LU', name: 'lost update', run: lostUpdate },
  { id: 'WS', name: 'write skew', run: writeSkew },
];

type Traffic = Required<Pick<Clients, 'write' | 'read'>>;

/** Requests overwrite two people and their relationship: one order on all three. */
function dirtyWrite(scene: Scene): Promise<Finding> {
  return judged(scene, overwriting(['g0a', 'g0b', 'g0a>g0b']));
}

/** Every other request is rejected because of one part: no part of it is ever visible. */
function abortedRead(scene: Scene): Promise<Finding> {
  const item = 'g1a';
  return judged(scene, (history) => ({
    write: async (n, node) => {
      if (n % 2 === 0) {
        const { seq } = await setAll(node, [item], n);
        history.wrote({ seq, values: setTo([item], n) });
        return;
      }
      const refused = { entities: [person(item, { n })], relationships: [knows(item, 'nobody')] };
      const taken = await node.graph.write(refused, { onDangling: 'refuse' }).catch(refusalOnly);
      if (taken !== undefined)
        history.violated(`request ${String(n)} was taken, though one of its parts cannot be`);
    },
    read: reading(history, [item]),
  }));
}

/** A session is opened on one node, filled over two others, and committed on the first. */
function intermediateRead(scene: Scene): Promise<Finding> {
  const items = ['g1ba', 'g1bb'];
  return judged(scene, (history) => ({
    write: async (n, node, at) => {
      const scope = { connectorId: 'check', syncId: randomUUID(), mode: 'patch' } as const;
      const { session_id: id } = await node.graph.sessions.open(scope);
      for (const [index, item] of items.entries()) {
        const { graph } = scene.nodes.node(at + index + 1);
        await graph.sessions.putBatch(id, index + 1, { entities: [person(item, { n })], relationships: [] });
      }
      const { seq } = await numbered(() => node.graph.sessions.commit(id));
      history.wrote({ seq, values: setTo(items, n) });
    },
    read: reading(history, items),
  }));
}

/** Each client writes one of two people, then reads both: mutual reads would have no order. */
function circularFlow(scene: Scene): Promise<Finding> {
  const items = ['g1ca', 'g1cb'];
  return judged(scene, (history) => ({
    write: async (n, node) => {
      const own = items.filter((_, at) => at === n % 2);
      const { seq } = await setAll(node, own, n);
      history.wrote({ seq, values: setTo(own, n) });
      const seen = seenOn(node, items);
      history.saw(seen);
      if (seen.seq < seq)
        history.violated(`write ${String(seq)} was acknowledged, and ${String(seen.seq)} shown`);
    },
  }));
}

/** One snapshot shows the same person twice, with writes in between. */
function itemManyPreceders(scene: Scene): Promise<Finding> {
  const items = ['imp'];
  return judged(scene, (history) => ({
    write: overwriting(items)(history).write,
    read: async (node) => {
      const snapshot = node.graph.snapshot();
      const seq = snapshot.snapshotVersion;
      history.saw({ seq, values: valuesIn(snapshot, items) });
      await moved(node, seq, scene.signal);
      history.saw({ seq, values: valuesIn(snapshot, items) });
      snapshot.release();
    },
  }));
}

/** One snapshot counts the same people twice while people are added in pairs. */
async function predicateManyPreceders(scene: Scene): Promise<Finding> {
  const group = 'pmp';
  const count = 'count';
  const history = new History();
  const seqs: number[] = [];
  await traffic(scene, {
    write: async (n, node) => {
      const entities = [1, 2].map((at) => person(`${group}-${String(n)}-${String(at)}`, { group }));
      seqs.push((await numbered(() => node.graph.write({ entities, relationships: [] }))).seq);
    },
    read: async (node) => {
      const snapshot = node.graph.snapshot();
      const seq = snapshot.snapshotVersion;
      history.saw({ seq, values: setTo([count], countIn(snapshot, group)) });
      await moved(node, seq, scene.signal);
      history.saw({ seq, values: setTo([count], countIn(snapshot, group)) });
      snapshot.release();
    },
    isEnough: () => seqs.length >= WRITES_LEAST && history.states >= STATES_LEAST,
  });
  history.wrote({ seq: 0, values: setTo([count], 0) });
  for (const [at, seq] of seqs.toSorted((a, b) => a - b).entries())
    history.wrote({ seq, values: setTo([count], 2 * (at + 1)) });
  return judgement(history);
}

/** A node that receives the sequence number of another node's read shows at least that state. */
function transactionVanishes(scene: Scene): Promise<Finding> {
  const items = ['otva', 'otvb', 'otvc', 'otvd'];
  return judged(scene, (history) => ({
    write: overwriting(items)(history).write,
    read: async (node, at) => {
      const first = seenOn(node, items);
      const other = scene.nodes.node(at + 1);
      await other.graph.reached(first.seq, REACH_MS, scene.signal);
      const second = seenOn(other, items);
      history.saw(first);
      history.saw(second);
      if (second.seq < first.seq)
        history.violated(`${String(first.seq)} was seen, and then ${String(second.seq)}`);
    },
  }));
}

/** Four people in a ring of relationships are overwritten at once: never visible in part. */
function fracturedRead(scene: Scene): Promise<Finding> {
  const people = ['fra', 'frb', 'frc', 'frd'];
  const ring = people.map((key, at) => `${key}>${people[(at + 1) % people.length] ?? ''}`);
  return judged(scene, overwriting([...people, ...ring]));
}

/** Concurrent writers each add a property and a relationship to one person: no addition is lost. */
async function lostUpdate(scene: Scene): Promise<Finding> {
  const history = new History();
  const [key, connectorId] = ['lu', 'check'];
  const added: number[] = [];
  const isEnough = (): boolean => added.length >= REQUESTS_LEAST;
  await traffic(scene, {
    write: async (n, node) => {
      const friend = `lu-${String(n)}`;
      const entities = [person(key, { [`p${String(n)}`]: n }), person(friend)];
      const request = { connectorId, syncId: friend, mode: 'patch' as const, entities };
      await node.graph.sync({ ...request, relationships: [knows(key, friend, { n })] });
      added.push(n);
    },
    isEnough,
  });
  await scene.nodes.caughtUp();
  for (const [at, node] of scene.nodes.all.entries()) {
    const { values } = seenOn(
      node,
      added.map((n) => `${key}>lu-${String(n)}`),
    );
    const { properties } = node.graph.entity(idOf(key));
    const lost = added.filter(
      (n) => properties[`p${String(n)}`] !== n || values.get(`${key}>lu-${String(n)}`) !== n,
    );
    if (lost.length > 0) history.violated(`node ${String(at + 1)} has lost ${lost.slice(0, 5).join(', ')}`);
  }
  const seen = `${String(added.length)} updates of one person by ${String(scene.nodes.all.length)} nodes`;
  return found(history.violations(), seen, isEnough());
}

/**
 * One node deletes a person while another adds a relationship to that person, which is rejected if the person
 * does not exist. One of the two requests comes first.
 */
async function writeSkew(scene: Scene): Promise<Finding> {
  const history = new History();
  let refused = 0;
  let pairs = 0;
  const isEnough = (): boolean => pairs >= REQUESTS_LEAST && refused > 0 && refused < pairs;
  await traffic(scene, {
    write: async (n, node, at) => {
      const [gone, knowing] = [`ws-${String(n)}-gone`, `ws-${String(n)}-knowing`];
      await node.graph.write({ entities: [person(gone), person(knowing)], relationships: [] });
      const { graph } = scene.nodes.node(at + 1);
      const remove = { entities: [end(gone)], relationships: [] };
      const relate = { entities: [], relationships: [knows(knowing, gone, { n })] };
      const [deleted, related] = await Promise.all([
        numbered(() => node.graph.write({ entities: [], relationships: [], delete: remove })),
        numbered(() => graph.write(relate, { onDangling: 'refuse' })).catch(refusalOnly),
      ]);
      pairs++;
      if (related === undefined) refused++;
      else if (related.seq > deleted.seq)
        history.violated(`${String(related.seq)} knows whom ${String(deleted.seq)} deleted`);
      await node.graph.reached(related?.seq ?? 0, REACH_MS, scene.signal);
      const { values } = seenOn(node, [gone, `${knowing}>${gone}`]);
      if ([...values.values()].some((value) => value !== undefined))
        history.violated(`pair ${String(n)}: who was deleted is still known`);
    },
    isEnough,
  });
  const seen = `${String(pairs)} pairs on two nodes each; the deletion came first ${String(refused)} times`;
  return found(history.violations(), seen, isEnough());
}

/** Writers overwrite all items at once; readers read all of them in one snapshot. */
function overwriting(items: readonly string[]): (history: History) => Traffic {
  return (history) => ({
    write: async (n, node) => {
      const { seq } = await setAll(node, items, n);
      history.wrote({ seq, values: setTo(items, n) });
    },
    read: reading(history, items),
  });
}

function reading(history: History, items: readonly string[]): Traffic['read'] {
  return (node) => {
    history.saw(seenOn(node, items));
    return Promise.resolve();
  };
}

async function judged(
  scene: Scene,
  clients: (history: History) => Pick<Clients, 'write' | 'read'>,
): Promise<Finding> {
  const history = new History();
  await traffic(scene, { ...clients(history), isEnough: () => history.isEnough });
  return judgement(history);
}

function judgement(history: History): Finding {
  const { writes, reads, states } = history;
  const seen = `${String(writes)} writes, ${String(reads)} reads of ${String(states)} states`;
  return found(history.violations(), seen, history.isEnough);
}

/** Resolves when a node shows a newer state, or when no more writes follow. */
async function moved({ graph }: CheckNode, seq: number, signal: AbortSignal): Promise<void> {
  const startMs = performance.now();
  while (graph.durableVersion === seq && !signal.aborted && performance.now() - startMs < MOVED_MS)
    await pause(WAIT_MS);
}

/** Undefined for a rejected request, as expected if a person is missing. */
function refusalOnly(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'DANGLING_RELATIONSHIP') return undefined;
  throw error;
}
