import { type Command, Option } from 'commander';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { ImportReply } from '#graph/connector';
import type { ListedEntity, ListedRelationship, PlannedChanges } from '#graph/engine';
import {
  formatTable,
  type Output,
  Progress,
  progressOption,
  readStandardInput,
  STANDARD_INPUT,
  UsageError,
  visibleText,
} from '#platform/cli';
import { YamlDocument, yamlText } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { DomainError, lineOfInvalidByte, utf8Text } from '#platform/foundation';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { readInput } from './input-file.ts';
import { failureOf, summaryOf } from './connector/run-and-report.ts';
import { HttpTarget } from './target/http-target.ts';

const PIECE_BYTES = 262_144;
/** Names that a table shows of what is created or updated; the form json has them all. */
const SHOWN_MAX = 20;

interface ImportOptions {
  readonly source?: string;
  readonly config?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly progress?: boolean;
  readonly format: 'table' | 'json';
}

/** The body of POST /v1/imports, without the content. */
interface ImportBody {
  readonly file_name?: string | undefined;
  readonly source?: string | undefined;
  readonly config?: object | undefined;
  readonly dry_run: boolean;
  readonly force: boolean;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument(
      '<file|->',
      'CSV, JSON, a bill, a lock file, STIX, or what another tool writes; - reads standard input',
    )
    .option('--dry-run', 'show what would be created, changed and deleted, and write nothing')
    .option('--source <id>', 'source whose whole content the file is (default: by the name of the file)')
    .option(
      '--config <file>',
      'YAML with mapping, delimiter, columns, records; - is standard input (default: of the source, else a guess)',
    )
    .option('--name <name>', 'name of the file, if it is read from standard input')
    .option('--force', 'permit any number of deletions')
    .option('--data-dir <path>', 'data directory')
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .addOption(
      new Option('--format <format>', 'form of the result').choices(['table', 'json']).default('table'),
    )
    .addOption(progressOption())
    .action(async (path: string, options: ImportOptions, command: Command) => {
      const settings = context.writingSettingsOf(command);
      const { dryRun = false, force = false } = options;
      const name = options.name ?? (path === '-' ? undefined : basename(path));
      if (path === '-' && options.config === '-')
        throw new UsageError('--config: expected a file, since standard input is the file to import');
      const config = options.config === undefined ? undefined : await configIn(options.config);
      const body = { file_name: name, source: options.source, config, dry_run: dryRun, force };
      const bytes = await readInput(path);
      const reply = await imported(settings, body, { bytes, isPlain: options.progress === true });
      await show(reply, options.format, context.output);
      if (reply.run.status !== 'complete') throw new DomainError('CONFLICT', failureOf(reply.run));
    });
}

interface ImportContent {
  readonly bytes: Uint8Array;
  /** Whether progress is printed where standard error is no terminal. */
  readonly isPlain: boolean;
}

async function* piecesOf(whole: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += PIECE_BYTES)
    yield Promise.resolve(whole.subarray(at, at + PIECE_BYTES));
}

/** Each way loads its own code. */
async function imported(
  settings: GraphSettings,
  body: ImportBody,
  { bytes, isPlain }: ImportContent,
): Promise<ImportReply> {
  if (settings.url !== '') {
    const content = utf8Text(bytes);
    if (content === undefined) throw await withoutText(bytes);
    const whole = Buffer.from(JSON.stringify({ ...body, content }), 'utf8');
    const progress = new Progress({ label: 'import', total: whole.length, isPlain });
    const pieces = Readable.from(progress.counting(piecesOf(whole)), { objectMode: false });
    return new HttpTarget(settings).upload<ImportReply>('/v1/imports', pieces);
  }
  const { importLocally } = await import('./connector/local-import.ts');
  const { file_name: fileName, dry_run: dryRun, source, config, force } = body;
  const progress = new Progress({ label: 'import', total: bytes.length, isPlain });
  const content = { bytes, onRead: (done: number) => progress.set(done) };
  return importLocally(settings, { fileName, dryRun, source, config, force }, content).finally(() =>
    progress.end(),
  );
}

async function withoutText(bytes: Uint8Array): Promise<DomainError> {
  const { formWithoutText } = await import('#graph/connector');
  const form = formWithoutText(bytes);
  const line = `line ${lineOfInvalidByte(bytes)}: expected UTF-8`;
  return new DomainError(
    'INVALID_REQUEST',
    form === undefined ? line : `expected text in UTF-8, got ${form}`,
  );
}

async function configIn(path: string): Promise<object> {
  const isStandardInput = path === '-';
  const text = isStandardInput ? await readStandardInput() : await new NodeDisk().readText(path);
  const { value } = YamlDocument.parse(text, isStandardInput ? STANDARD_INPUT : path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`--config: expected a table with the key mapping in ${path}`);
}

async function show(reply: ImportReply, format: ImportOptions['format'], output: Output): Promise<void> {
  if (format === 'json') {
    await output.line(JSON.stringify(reply, null, 2));
    return;
  }
  const { source, config, columns, sample, is_known: isKnown, dry_run: dryRun, run } = reply;
  const kind = isKnown ? 'a known source' : 'a new source';
  await output.line(`${source}: ${reply.format}, ${kind}${dryRun ? '; dry run, nothing is written' : ''}`);
  if (Object.keys(config).length > 0) await output.line(visibleLines(yamlText(config)));
  if (sample.length > 0) {
    const rows = sample.map((row) => row.map((value) => visibleText(value ?? '')));
    await output.line(`${formatTable(columns.map(visibleText), rows)}\n`);
  }
  await output.line(summaryOf(run));
  for (const line of changeLines(run.sync?.changes)) await output.line(line);
}

/** What a dry run would delete, update and create, by name. */
function changeLines(changes: PlannedChanges | undefined): string[] {
  if (changes === undefined) return [];
  return (['deleted', 'updated', 'created'] as const).flatMap((effect) => {
    const shownMax = effect === 'deleted' ? Infinity : SHOWN_MAX;
    const { entities, relationships } = changes;
    return [
      ...linesOf(`entities ${effect}`, namesOf(entities[effect], entityLine), shownMax),
      ...linesOf(`relationships ${effect}`, namesOf(relationships[effect], relationshipLine), shownMax),
    ];
  });
}

/** Names, and how many more records there are. */
interface Names {
  readonly names: readonly string[];
  readonly more: number;
}

function namesOf<T>(
  { records, more }: { records: readonly T[]; more: number },
  of: (record: T) => string,
): Names {
  return { names: records.map(of), more };
}

function linesOf(title: string, { names, more }: Names, shownMax: number): string[] {
  if (names.length === 0) return [];
  const rest = more + Math.max(0, names.length - shownMax);
  const lines = names.slice(0, shownMax).map((name) => `  ${visibleText(name)}`);
  return [`${title}:`, ...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])];
}

function entityLine({ type, key, display_name: name }: ListedEntity): string {
  return name === key ? `${type} ${key}` : `${type} ${key} (${name})`;
}

function relationshipLine({ from, verb, to, key }: ListedRelationship): string {
  const of = key === undefined ? '' : ` (${key})`;
  return `${from.type} ${from.key} ${verb} ${to.type} ${to.key}${of}`;
}

function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}
