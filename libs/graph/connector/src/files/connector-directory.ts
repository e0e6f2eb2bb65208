import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Disk, filesAndLinks, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { isConnectorFile } from '../config/load-connectors.ts';

/** The content of a file, and the tag by which a later change is told. */
export interface TaggedText {
  readonly name: string;
  readonly text: string;
  /** Of HTTP, with its quotes. */
  readonly etag: string;
}

/** What the file has to be before it is replaced: the text with a tag, or no file. */
export type Precondition = { readonly etag: string } | 'absent';

const NAME = /^[a-z0-9][a-z0-9._-]{0,119}\.ya?ml$/;
const FILE_BYTES_MAX = 262_144;

/** The tag of a content. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32)}"`;
}

/**
 * The files of a directory, changed one at a time. A name is that of a file in the directory itself, never a
 * path, and a symbolic link is neither read nor replaced. A file is written under another name, made durable
 * and then renamed: whoever reads sees the old content or the new one. Its mode is 0600. A crash may leave a
 * draft, whose name begins with a dot and which is no connector file.
 */
export class ConnectorDirectory {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  /** Where a file of this name is. Throws INVALID_REQUEST. */
  pathOf(name: string): string {
    if (NAME.test(name)) return join(this.#directory, name);
    const expected =
      'expected lower-case letters, digits, dots, dashes and underscores, and .yaml at the end';
    throw new DomainError('INVALID_REQUEST', `name: ${expected}`, { details: { field: 'name' } });
  }

  /** Throws NOT_FOUND, CONFLICT for a link, BODY_TOO_LARGE, INVALID_CONFIG for what is not UTF-8. */
  async read(name: string): Promise<TaggedText> {
    const path = this.pathOf(name);
    await this.#refuseLink(name);
    if (!(await this.#disk.list(this.#directory)).includes(name))
      throw new DomainError('NOT_FOUND', `there is no connector file ${name}`);
    const file = await this.#disk.open(path, 'read');
    try {
      if ((await file.size()) > FILE_BYTES_MAX) throw tooLarge();
    } finally {
      await file.close();
    }
    const text = await this.#disk.readText(path);
    return { name, text, etag: etagOf(text) };
  }

  /** Throws PRECONDITION_FAILED, and like `read`. `onChecked` runs before the change. */
  async write(name: string, text: string, expected: Precondition, onChecked: () => void): Promise<void> {
    const path = this.pathOf(name);
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length > FILE_BYTES_MAX) throw tooLarge();
    await this.#require(name, expected);
    onChecked();
    const draft = join(this.#directory, `.${name}.${randomUUID()}.tmp`);
    try {
      await this.#disk.writeNew(draft, bytes);
      await this.#disk.rename(draft, path);
    } catch (error) {
      await this.#disk.remove(draft);
      throw error;
    }
    await this.#disk.syncDirectory(this.#directory);
  }

  /** Throws like `write`. */
  async remove(name: string, etag: string, onChecked: () => void): Promise<void> {
    const path = this.pathOf(name);
    await this.#require(name, { etag });
    onChecked();
    await this.#disk.remove(path);
    await this.#disk.syncDirectory(this.#directory);
  }

  /** Names of the connector files, sorted. Rejects with `DiskError`. */
  async names(): Promise<readonly string[]> {
    return (await filesAndLinks(this.#disk, this.#directory)).filter(isConnectorFile);
  }

  async #require(name: string, expected: Precondition): Promise<void> {
    const found = await this.read(name).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
    const etag = found?.etag ?? null;
    if (expected === 'absent' ? etag === null : etag === expected.etag) return;
    const was =
      etag === null ? 'it is no longer there' : 'it has been changed meanwhile, or is there already';
    throw new DomainError('PRECONDITION_FAILED', `${name}: ${was}`, { details: { etag } });
  }

  async #refuseLink(name: string): Promise<void> {
    const links = await this.#disk.links(this.#directory).catch((error: unknown) => {
      if (isMissingFile(error)) return new Map<string, string>();
      throw error;
    });
    if (links.has(name))
      throw new DomainError('CONFLICT', `${name} is a symbolic link: change its target where it is`);
  }
}

function tooLarge(): DomainError {
  return new DomainError('BODY_TOO_LARGE', `expected a connector file of at most ${FILE_BYTES_MAX} bytes`);
}
