/**
 * The process of one target: it opens, loads, queries and times on request of its parent. Rows are built
 * before the clock starts.
 */
import { rmSync, mkdirSync } from 'node:fs';
import { digest, type Digest } from './answers.ts';
import { Dataset } from '../data/dataset.ts';
import type { Questions } from '../data/questions.ts';
import { entityRows, linkRows, probeRow } from '../data/rows.ts';
import { serveParent, type Handlers } from '../harness/child-process.ts';
import { diskBytes } from '../harness/disk-bytes.ts';
import { percentile, timeEach, timeRound, timeWriters, type Round } from '../harness/stopwatch.ts';
import { loadEngine, openTarget, type TargetName } from '../targets/registry.ts';
import type { OperationName, Target } from '../targets/target.ts';

export interface Preparation {
  readonly name: TargetName;
  readonly directory: string;
  readonly entities: number;
  readonly seed: number;
  readonly questions: Questions;
}

export interface Opened {
  readonly version: string;
  readonly operations: readonly OperationName[];
  readonly takesSingleWrites: boolean;
}

/** A part of the load: rows `[start, end)` of one kind. */
export interface Load {
  readonly rows: 'entities' | 'relationships';
  readonly start: number;
  readonly end: number;
}

export interface FirstAnswer {
  /** The time from the open call to the first answer; the engine's code is loaded before. */
  readonly ms: number;
  /** Increase of resident memory by opening. */
  readonly bytes: number;
}

export type TargetProtocol = {
  readonly prepare: readonly [Preparation, undefined];
  readonly open: readonly [undefined, Opened];
  /** Milliseconds, without building the rows. */
  readonly load: readonly [Load, number];
  readonly settle: readonly [undefined, undefined];
  readonly answer: readonly [{ readonly operation: OperationName; readonly at: number }, Digest];
  readonly round: readonly [
    { readonly operation: OperationName; readonly leastMs: number; readonly from: number },
    Round,
  ];
  /** The 99th percentile of single calls, in ms. */
  readonly tail: readonly [{ readonly operation: OperationName; readonly calls: number }, number];
  readonly writers: readonly [{ readonly writers: number; readonly leastMs: number }, number];
  readonly firstAnswer: readonly [undefined, FirstAnswer];
  readonly memory: readonly [undefined, number];
  readonly close: readonly [undefined, undefined];
  /** Opens the loaded store again. */
  readonly reopen: readonly [undefined, undefined];
  readonly diskBytes: readonly [undefined, number];
};

const BATCH_ROWS = 1_000;

let preparation: Preparation | undefined;
let data: Dataset | undefined;
let target: Target | undefined;
let probes = 0;

const handlers: Handlers<TargetProtocol> = {
  prepare: (request) => {
    preparation = request;
    return undefined;
  },
  open: async () => {
    const { directory } = prepared();
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    target = await open(true);
    return {
      version: target.version,
      operations: Object.keys(target.operations) as OperationName[],
      takesSingleWrites: target.addOne !== undefined,
    };
  },
  load: ({ rows, start, end }) =>
    rows === 'entities'
      ? timeBatches(entityRows(dataset(), start, end), (batch) => opened().addEntities(batch))
      : timeBatches(linkRows(dataset(), start, end), (batch) => opened().addRelationships(batch)),
  settle: async () => {
    await opened().settle();
    data = undefined;
    globalThis.gc?.();
    return undefined;
  },
  answer: async ({ operation, at }) => {
    const answer: unknown = await operationOf(operation)(at);
    return digest(operation, answer);
  },
  round: ({ operation, leastMs, from }) => timeRound(operationOf(operation), leastMs, from),
  tail: async ({ operation, calls }) => percentile(await timeEach(operationOf(operation), calls), 0.99),
  writers: (request) => {
    const [engine, rows] = [opened(), dataset()];
    // Rows are cheap to build compared with a sync, and every target has the same cost.
    return timeWriters((ordinal) => engine.addOne?.(probeRow(rows, probes + ordinal)), request).finally(
      () => {
        probes += 10_000_000;
      },
    );
  },
  firstAnswer: async () => {
    await loadEngine(prepared().name);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const start = performance.now();
    target = await open(false);
    await operationOf('count')(0);
    const ms = performance.now() - start;
    globalThis.gc?.();
    return { ms, bytes: process.memoryUsage.rss() - before };
  },
  memory: () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  },
  close: async () => {
    await target?.close();
    target = undefined;
    return undefined;
  },
  reopen: async () => {
    target = await open(false);
    return undefined;
  },
  diskBytes: () => diskBytes(prepared().directory),
};

serveParent(handlers);

function prepared(): Preparation {
  if (preparation === undefined) throw new Error('not prepared');
  return preparation;
}

function opened(): Target {
  if (target === undefined) throw new Error('not open');
  return target;
}

function dataset(): Dataset {
  data ??= new Dataset(prepared().entities, prepared().seed);
  return data;
}

function open(isNew: boolean): Promise<Target> {
  const { name, directory, questions } = prepared();
  return openTarget(name, { directory, questions, isNew });
}

function operationOf(name: OperationName): (at: number) => unknown {
  const operation = opened().operations[name];
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return operation;
}

async function timeBatches<Row>(
  rows: readonly Row[],
  add: (batch: readonly Row[]) => void | Promise<void>,
): Promise<number> {
  const batches: (readonly Row[])[] = [];
  for (let at = 0; at < rows.length; at += BATCH_ROWS) batches.push(rows.slice(at, at + BATCH_ROWS));
  const start = performance.now();
  for (const batch of batches) await add(batch);
  return performance.now() - start;
}
