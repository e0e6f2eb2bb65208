import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { Disk } from '#platform/disk';
import { DomainError, type Secret } from '#platform/foundation';
import { nextOfLink } from '../../http/reply-headers.ts';
import { sourceClient } from '../../http/source-client.ts';
import type { StepContext } from '../../run/step.ts';
import { shownName, sourceFiles } from '../document/source-files.ts';
import { piecesOf } from '../document/source-pieces.ts';

/** Where the bytes of a source are: exactly one of `file` and `url`. */
export interface TablePlace {
  readonly file: string | undefined;
  readonly url: string | undefined;
  readonly headers_env: Readonly<Record<string, Secret | undefined>>;
}

export interface TableDocument {
  /** Of one of several files. */
  readonly name: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What a step reads. */
export interface TableContent {
  readonly documents: AsyncIterable<TableDocument>;
  /** What identifies the content, once it is read; undefined if nothing does. */
  readonly cursor: () => string | undefined;
}

type Reading = Pick<StepContext<unknown>, 'cursor' | 'signal' | 'sleep' | 'ignored'>;

/** Throws INVALID_CONFIG unless there is exactly one of them. */
export function checkPlace({
  file,
  url,
  headers_env: headers,
}: Omit<TablePlace, 'headers_env'> & TablePlace): void {
  const expected = (message: string): DomainError => new DomainError('INVALID_CONFIG', message);
  if ((file === undefined) === (url === undefined)) throw expected('expected either file or url');
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw expected('url: expected one with http:// or https://');
  if (url === undefined && Object.keys(headers).length > 0)
    throw expected('headers_env: expected a url with it');
}

/** The content of a source; undefined if it is that of the last complete run. */
export async function tableContent(
  disk: Disk,
  place: TablePlace,
  extensions: readonly string[],
  context: Reading,
): Promise<TableContent | undefined> {
  const { file = '', url } = place;
  if (url !== undefined) return answerOf(url, place.headers_env, context);
  const { files, areOfDirectory } = await sourceFiles(disk, file);
  const isRead = (name: string): boolean =>
    !areOfDirectory || extensions.includes(extname(name).toLowerCase());
  const read = files.filter(isRead);
  if (read.length < files.length) context.ignored('files with other names', files.length - read.length);
  if (context.cursor !== undefined && (await digestOf(disk, read, context)) === context.cursor)
    return undefined;
  const digest = createHash('sha256');
  async function* documents(): AsyncGenerator<TableDocument> {
    for (const each of read) {
      context.signal.throwIfAborted();
      const name = each === file ? undefined : shownName(each, file);
      yield { name, bytes: hashed(piecesOf(disk, each), each, digest) };
    }
  }
  return { documents: documents(), cursor: () => digest.copy().digest('hex') };
}

/** Passes the bytes of a file on and adds them to the digest, apart from those of other files. */
async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  digest: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  const own = createHash('sha256').update(name);
  for await (const piece of bytes) {
    own.update(piece);
    yield piece;
  }
  digest.update(own.digest());
}

async function digestOf(
  disk: Disk,
  files: readonly string[],
  { signal }: Pick<Reading, 'signal'>,
): Promise<string> {
  const digest = createHash('sha256');
  for (const each of files) {
    for await (const piece of hashed(piecesOf(disk, each), each, digest)) {
      if (piece.length > 0) signal.throwIfAborted();
    }
  }
  return digest.digest('hex');
}

async function answerOf(
  url: string,
  given: TablePlace['headers_env'],
  context: Reading,
): Promise<TableContent | undefined> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers[name] = value.reveal();
  const answer = await sourceClient({ headers }).bytes(context, url, context.cursor);
  if (answer === undefined) return undefined;
  if (nextOfLink(answer.headers) !== undefined)
    throw new DomainError(
      'CONFLICT',
      'expected the whole list, got one page of several: the answer has a next one',
    );
  const tag = answer.headers.get('etag') ?? undefined;
  async function* documents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TableDocument> {
    yield { name: undefined, bytes };
  }
  return { documents: documents(answer.pieces), cursor: () => tag };
}
