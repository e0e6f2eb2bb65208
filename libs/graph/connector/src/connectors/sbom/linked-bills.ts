/** What bills say of elements of other documents: BOM-Links, DocumentRefs of SPDX 2, imports of SPDX 3. */
import { dirname, join } from 'node:path';
import type { EntityKey } from '#graph/model';
import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { readJsonText } from '../document/json-text.ts';
import type { Bill, ExternalReference } from './bill-builder.ts';
import type { DocumentLink, LinkedDocument } from './document-link.ts';

type Place = Pick<DocumentLink, 'document' | 'element'>;

/**
 * Finds the elements that links lead to, in the files of the source and in JSON files beside them. A file
 * that mentions none of them is not parsed; one beside the source that is no bill leads nowhere.
 */
export class LinkedBills {
  readonly #disk: Disk;
  readonly #read: (file: string) => Promise<Bill>;
  readonly #found = new Map<string, EntityKey>();

  constructor(disk: Disk, read: (file: string) => Promise<Bill>) {
    this.#disk = disk;
    this.#read = read;
  }

  /** Call it before {@link find}. */
  async search(files: readonly string[], references: readonly ExternalReference[]): Promise<void> {
    const links = references.flatMap(({ link }) => link ?? []);
    const mentions = [...new Set(links.map(({ mention }) => mention.toLowerCase()))];
    if (mentions.length === 0) return;
    const wanted = Map.groupBy(links, ({ document }) => document);
    for (const file of await this.#withFolders(files))
      for (const { document, find } of await this.#documentsOf(file, mentions))
        for (const { element } of wanted.get(document) ?? [])
          this.#keep({ document, element }, find(element));
  }

  #keep(place: Place, entity: EntityKey | undefined): void {
    const identity = identityOf(place);
    if (entity !== undefined && !this.#found.has(identity)) this.#found.set(identity, entity);
  }

  find(link: Place): EntityKey | undefined {
    return this.#found.get(identityOf(link));
  }

  async #withFolders(files: readonly string[]): Promise<ReadonlySet<string>> {
    const all = new Set(files);
    for (const folder of new Set(files.map((file) => dirname(file))))
      for (const name of (await this.#disk.list(folder)).filter((each) => each.endsWith('.json')).sort())
        all.add(join(folder, name));
    return all;
  }

  async #documentsOf(file: string, mentions: readonly string[]): Promise<readonly LinkedDocument[]> {
    try {
      const text = (await readJsonText(this.#disk, file)).toLowerCase();
      if (!mentions.some((mention) => text.includes(mention))) return [];
      return (await this.#read(file)).documents ?? [];
    } catch (error) {
      if (error instanceof DomainError || error instanceof DiskError) return [];
      throw error;
    }
  }
}

function identityOf({ document, element }: Place): string {
  return JSON.stringify([document, element]);
}
