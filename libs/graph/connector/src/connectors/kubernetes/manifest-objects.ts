import { basename, extname } from 'node:path';
import { isJsonObject } from '#graph/model';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { DocumentValue } from '../document/document-value.ts';
import { JsonElements } from '../document/json-elements.ts';
import { parseJson } from '../document/json-text.ts';
import { withName } from '../document/named-fault.ts';
import { readSourceFile, type SourceFile } from '../document/source-file.ts';
import { shownName } from '../document/source-files.ts';
import { piecesOf } from '../document/source-pieces.ts';
import { parseYamlDocuments } from '../document/yaml-text.ts';
import { isKind } from './kubernetes-objects.ts';

const EXTENSIONS: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);

/** What kustomize reads, beside manifests; it may leave out its kind. */
const KUSTOMIZATION = /^kustomization\.ya?ml$/i;

/** Whether a file of a directory is read. */
export function isManifest(file: string): boolean {
  return !KUSTOMIZATION.test(basename(file)) && EXTENSIONS.has(extname(file).toLowerCase());
}

/**
 * The objects of a file, those of lists one by one. A list in JSON is read in pieces: one object of it is in
 * memory at a time. Throws INVALID_REQUEST with the file and the place of what is no object of Kubernetes.
 */
export async function* manifestObjects(disk: Disk, at: SourceFile): AsyncGenerator<DocumentValue> {
  const name = shownName(at.file, at.source);
  if (await isJson(disk, at.file)) {
    yield* jsonObjects(disk, at.file, name);
    return;
  }
  const documents = await readSourceFile(disk, at, (text) => {
    // A file of comments has no object; one of nothing is what is left of another.
    if (text.trim() === '')
      throw new DomainError('INVALID_REQUEST', 'expected a manifest of Kubernetes, got an empty file');
    return parseYamlDocuments(text, 'a manifest of Kubernetes');
  });
  for (const [index, document] of documents.entries()) {
    // An empty document between two lines of dashes.
    if (document === null || document === undefined) continue;
    yield* objectsOf(DocumentValue.of(document, `${name}, document ${index + 1}`));
  }
}

async function isJson(disk: Disk, file: string): Promise<boolean> {
  for await (const piece of piecesOf(disk, file)) {
    const beginning = new TextDecoder().decode(piece).trimStart();
    if (beginning !== '') return /^[[{]/.test(beginning);
  }
  return false;
}

/** An object, a list of a kind, or the plain list of its items. */
async function* jsonObjects(disk: Disk, file: string, name: string): AsyncGenerator<DocumentValue> {
  const elements = new JsonElements(['', 'items']);
  const fields: Record<string, unknown> = {};
  const untyped: DocumentValue[] = [];
  const take = (piece: Uint8Array): readonly DocumentValue[] => {
    const found: DocumentValue[] = [];
    for (const { path, index, text } of elements.feed(piece)) {
      const place = index === undefined ? `${name}, ${path}` : `${name}, ${path}[${index}]`;
      const value = parseJson(text, `JSON in ${place}`);
      if (index === undefined) fields[path] = value;
      else found.push(DocumentValue.of(value, place));
    }
    return found;
  };
  try {
    for await (const piece of piecesOf(disk, file))
      for (const item of take(piece)) {
        if (item.has('kind') || elements.lists.has('')) yield* objectsOf(item);
        else untyped.push(item);
      }
    elements.finish();
  } catch (error) {
    throw withName(name, error);
  }
  if (elements.lists.has('')) return;
  const isList = elements.lists.has('items');
  const root = new DocumentValue(isList ? { ...fields, items: [] } : fields, name);
  const kind = root.text('kind') ?? '';
  if (isList) checkList(root, kind);
  for (const { value, place } of untyped)
    yield checked(
      new DocumentValue({ ...value, apiVersion: fields['apiVersion'], kind: kind.slice(0, -4) }, place),
    );
  if (!isList) yield* objectsOf(root);
}

/** A list of any kind has objects under `items`; those of a list of one kind may leave their kind out. */
function* objectsOf(document: DocumentValue): Generator<DocumentValue> {
  const kind = document.required('kind');
  if (
    !kind.endsWith('List') ||
    !(Array.isArray(document.value['items']) || document.value['items'] === null)
  ) {
    yield checked(document);
    return;
  }
  checkList(document, kind);
  for (const item of document.objects('items')) {
    const typed = item.has('kind')
      ? item
      : new DocumentValue(
          { ...item.value, apiVersion: document.value['apiVersion'], kind: kind.slice(0, -'List'.length) },
          item.place,
        );
    yield checked(typed);
  }
}

/** The API gives long lists in pages. */
function checkList(list: DocumentValue, kind: string): void {
  if (!kind.endsWith('List')) throw list.fault('kind', `expected a list, got ${kind.slice(0, 40)}`);
  if (list.object('metadata').text('continue') !== undefined)
    throw list.fault('metadata.continue', 'expected a whole list, got one page of several');
}

function checked(object: DocumentValue): DocumentValue {
  const kind = object.required('kind');
  const isRead = isKind(kind, object.required('apiVersion'));
  // Others are counted only, and some have no metadata; a list without a list of items has lost them.
  if (!isRead && !kind.endsWith('List')) return object;
  if (!isJsonObject(object.value['metadata']))
    throw object.fault('metadata', `expected the metadata of a ${kind}, got none`);
  const metadata = object.object('metadata');
  if (metadata.text('generateName') === undefined) metadata.required('name');
  return object;
}
