import { Readable } from 'node:stream';
import type { Disk } from '#platform/disk';
import { DomainError, readLines, utf8Text } from '#platform/foundation';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import { ANY_TYPE, type EntityDraft, type RelationshipDraft, type StepContext } from '../../run/step.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { named } from '../document/named-fault.ts';
import { shownName, sourceFiles } from '../document/source-files.ts';
import { piecesOf } from '../document/source-pieces.ts';
import { unknownPart } from '../document/unknown-part.ts';
import { type QueryResult, ResultLog } from './result-log.ts';
import { type HostFacts, learnOfHost, recordsOf } from './row-meaning.ts';

const COMPRESSED = /\.(?:log|json|ndjson)\b.*\.(?:gz|zst|bz2|xz)$/;
const LINE_BYTES_MAX = 64 * 1_048_576;
const PACKAGE = 'architecture epoch name source_name source_version version';

/** Logs of results of osqueryd: the rows that are there in the end. */
export function osqueryConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'osquery',
    about: 'logs of results of osquery: what the scheduled queries last said of each host',
    config: {
      file: fileField({
        about: 'path of osqueryd.results.log, a directory of logs or a pattern, relative to this file',
      }),
    },
    vocabulary: {
      entities: {
        host: 'addresses cpu name os os_id os_version uuid',
        deb_package: PACKAGE,
        rpm_package: PACKAGE,
        local_user: 'comment gid home host name shell uid',
        local_group: 'gid host name',
        port: 'address exposed host name port protocol',
        service: 'active description enabled host name user',
        'osquery_*': '*',
      },
      relationships: {
        'host CONTAINS *_package': '',
        'host HAS local_user': '',
        'host HAS local_group': '',
        'local_user MEMBER_OF local_group': '',
        'host LISTENS_ON port': '',
        'host HAS service': '',
        'host HAS osquery_*': '',
      },
    },
    steps: () => [
      {
        id: 'results',
        description: 'the rows that each query last had',
        emits: { entities: [ANY_TYPE], relationships: [ANY_TYPE] },
        async run(context) {
          const log = await readLogs(disk, context);
          await emit(context, [...log.results()]);
        },
      },
    ],
  });
}

/** Rotated logs are read in the order of their times. */
async function readLogs(disk: Disk, context: StepContext<{ readonly file: string }>): Promise<ResultLog> {
  const { file: source } = context.config;
  const { files, areOfDirectory } = await sourceFiles(disk, source);
  const logs: { readonly file: string; readonly time: number }[] = [];
  for (const file of files) {
    if (COMPRESSED.test(file))
      context.unread(unknownPart(`${shownName(file, source)}: a compressed log is not read: decompress it`));
    else if (areOfDirectory && !/\.(?:log|json|ndjson)(?:\.\d+)?$/.test(file))
      context.ignored('files with other names');
    else logs.push({ file, time: await firstTime(disk, file) });
  }
  const log = new ResultLog();
  for (const { file } of logs.toSorted((a, b) => a.time - b.time)) {
    const name = shownName(file, source);
    await named(name, () => readLog(context, linesOf(disk, file), log));
  }
  return log;
}

async function readLog(
  context: StepContext<unknown>,
  lines: AsyncIterable<readonly Buffer[]>,
  log: ResultLog,
): Promise<void> {
  let number = 0;
  // The last line may not be whole yet.
  let pending: { readonly text: string; readonly line: number } | undefined;
  for await (const batch of lines) {
    context.signal.throwIfAborted();
    for (const bytes of batch) {
      number++;
      if (pending !== undefined) readLine(log, pending.text, pending.line);
      const text = utf8Text(bytes);
      if (text === undefined) throw new DomainError('INVALID_REQUEST', `line ${number}: expected UTF-8`);
      pending = text.trim() === '' ? undefined : { text, line: number };
    }
  }
  if (pending === undefined) return;
  const { text } = pending;
  if (text.trimEnd().endsWith('}') || !text.startsWith('{')) readLine(log, text, pending.line);
  else context.warn(`line ${pending.line}: not read, as osquery has not finished it yet`);
}

function readLine(log: ResultLog, text: string, line: number): void {
  try {
    log.read(text);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError(error.code, `line ${line}: ${error.message}`, { cause: error });
  }
}

function linesOf(disk: Disk, file: string): AsyncIterable<readonly Buffer[]> {
  const copies = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of piecesOf(disk, file)) yield Buffer.from(piece);
  };
  return readLines(Readable.from(copies()), LINE_BYTES_MAX);
}

/** The time of the first line; a file without one comes first. */
async function firstTime(disk: Disk, file: string): Promise<number> {
  for await (const [first] of linesOf(disk, file)) {
    const [, time = '0'] = /"unixTime"\s*:\s*"?(\d+)/.exec(first?.toString('utf8') ?? '') ?? [];
    return Number(time);
  }
  return 0;
}

async function emit(context: StepContext<unknown>, results: readonly QueryResult[]): Promise<void> {
  const hosts = new Map<string, HostFacts>();
  const others: (readonly [QueryResult, QueryResult['rows']])[] = [];
  for (const result of results) {
    const host = hosts.get(result.host) ?? newHost(result.host);
    hosts.set(result.host, host);
    others.push([result, result.rows.filter((row) => !learnOfHost(row, host))]);
    const { query, host: name, doubt } = result;
    if (doubt !== undefined) context.unread(unknownPart(`${query} of ${name}: ${doubt}`));
  }
  const entities = new Map<string, EntityDraft>();
  const relationships = new Map<string, RelationshipDraft>();
  for (const { key, properties, addresses } of hosts.values()) {
    const found = addresses.size === 0 ? undefined : [...addresses].sort();
    const facts = { name: key, ...properties, addresses: found };
    entities.set(`host\0${key}`, { type: 'host', key, class: 'Host', properties: facts });
  }
  for (const [result, rows] of others) {
    const host = hosts.get(result.host);
    for (const row of host === undefined ? [] : rows) {
      const records = recordsOf(row, result, host ?? newHost(result.host));
      // Several queries may have read one table.
      for (const each of records.entities) entities.set(`${each.type}\0${each.key}`, each);
      for (const each of records.relationships)
        relationships.set(
          [each.from.type, each.from.key, each.verb, each.to.type, each.to.key].join('\0'),
          each,
        );
    }
  }
  await context.emitAll({ entities: entities.values(), relationships: relationships.values() });
}

function newHost(name: string): HostFacts {
  return {
    key: fittingKey(name),
    properties: {},
    addresses: new Set(),
    userByUid: new Map(),
    groupByGid: new Map(),
  };
}
