import type { Command } from 'commander';
import { type ExportedEntity, type ExportedRelationship, OpenGraphExport } from '#graph/connector';
import { isJsonObject, type JsonObject } from '#graph/model';
import { UsageError, visibleText } from '#platform/cli';
import { countedText, DomainError } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { writeNewFile } from './new-file.ts';
import { openTarget } from './target/open-target.ts';
import type { CommandTarget } from './target/target.ts';

/** The longest that a server lets a statement run; its own limit applies as well. */
const TIMEOUT_MS = 3_600_000;
const PIECE_LENGTH = 65_536;

interface ExportFlags {
  readonly query?: string;
  readonly class?: string;
  readonly output?: string;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .command('opengraph')
    .description('write entities and the relationships between them as OpenGraph, for BloodHound')
    .option('--query <pql>', 'the entities that a query of PQL finds; default: all')
    .option('--class <name>', 'the entities of this type, class or label')
    .option('-o, --output <file>', 'a new file; default: standard output')
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .action(async (flags: ExportFlags, command: Command) => {
      if (flags.query !== undefined && flags.class !== undefined)
        throw new UsageError('expected --query or --class, not both');
      const target = await openTarget(context.settingsOf(command));
      try {
        const graph = new OpenGraphDocument(target, flags);
        if (flags.output !== undefined) await writeNewFile(flags.output, graph.bytes());
        else
          for await (const piece of graph.bytes()) {
            if (context.output.isGone) return;
            await context.output.write(piece);
          }
        for (const line of graph.report()) console.error(visibleText(line));
      } finally {
        await target.close();
      }
    });
}

/** The document of a graph, in pieces: nodes, then the edges between them. */
class OpenGraphDocument {
  readonly #target: CommandTarget;
  readonly #flags: ExportFlags;
  readonly #export = new OpenGraphExport();
  #edges = 0;
  #outside = 0;

  constructor(target: CommandTarget, flags: ExportFlags) {
    this.#target = target;
    this.#flags = flags;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    let text = '{"graph":{"nodes":[';
    for await (const entry of joined([this.#nodes(), '],"edges":[', this.#edgeTexts()])) {
      text += entry;
      if (text.length < PIECE_LENGTH) continue;
      yield Buffer.from(text);
      text = '';
    }
    yield Buffer.from(`${text}]}}\n`);
  }

  /** What was written, and what is not as it was. */
  report(): readonly string[] {
    const outside =
      this.#outside === 0
        ? ''
        : `; ${countedText(this.#outside, 'relationship leads', 'relationships lead')} out of them`;
    return [
      `${countedText(this.#export.count, 'node')}, ${countedText(this.#edges, 'edge')}${outside}`,
      ...this.#export.losses().map((loss) => `warning: ${loss}`),
    ];
  }

  async *#nodes(): AsyncGenerator<string> {
    const { query, class: label } = this.#flags;
    const entities =
      query === undefined
        ? cypherRows(this.#target, label === undefined ? 'MATCH (n) RETURN n' : ofLabel(label), 'n')
        : rowsOf(this.#target.queryLines({ pql: query, params: {} }));
    for await (const entity of entities) {
      if (typeof entity['type'] !== 'string' || typeof entity['key'] !== 'string')
        throw new UsageError('--query: expected a query that finds entities, without RETURN');
      yield JSON.stringify(this.#export.node(entity as JsonObject & ExportedEntity));
    }
  }

  async *#edgeTexts(): AsyncGenerator<string> {
    for await (const relationship of cypherRows(this.#target, 'MATCH ()-[r]->() RETURN r', 'r')) {
      const edge = this.#export.edge(relationship as JsonObject & ExportedRelationship);
      if (edge === undefined) this.#outside++;
      else {
        this.#edges++;
        yield JSON.stringify(edge);
      }
    }
  }
}

function ofLabel(label: string): string {
  return `MATCH (n:\`${label.replaceAll('`', '``')}\`) RETURN n`;
}

/** The texts of lists with commas between their items, and what is between the lists. */
async function* joined(parts: readonly (string | AsyncIterable<string>)[]): AsyncGenerator<string> {
  for (const part of parts) {
    if (typeof part === 'string') {
      yield part;
      continue;
    }
    let comma = '';
    for await (const item of part) {
      yield comma + item;
      comma = ',';
    }
  }
}

/** One column of a statement, whose values are records. */
async function* cypherRows(
  target: CommandTarget,
  cypher: string,
  column: string,
): AsyncGenerator<JsonObject> {
  for await (const row of rowsOf(target.cypherLines({ cypher, params: {}, timeout_ms: TIMEOUT_MS }))) {
    const value = row[column];
    if (isJsonObject(value)) yield value;
  }
}

/** The rows of a stream. Throws STORE_UNAVAILABLE if it ends without its last line. */
async function* rowsOf(pieces: AsyncIterable<Uint8Array | string>): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (
      rest + (typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }))
    ).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const row = JSON.parse(line) as JsonObject;
      if (row['end'] === true) return;
      yield row;
    }
  }
  throw new DomainError('STORE_UNAVAILABLE', 'the server broke off the answer');
}
