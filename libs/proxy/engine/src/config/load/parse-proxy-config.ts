import {
  checkDocument,
  type DocumentFault,
  type DocumentPath,
  faultText,
  type Shape,
  YamlDocument,
} from '#platform/config';
import { DomainError } from '#platform/foundation';
import { InvalidProxyConfig } from '../invalid-proxy-config.ts';
import { BARE_MACHINE, type Machine } from '../machine.ts';
import type { ProxyConfig } from '../proxy-config.ts';
import { type ConfigSurroundings, proxyShape, type WrittenConfig } from '../proxy-shape.ts';
import { addressesRule } from '../rules/addresses-rule.ts';
import { choicesRule } from '../rules/choices-rule.ts';
import { cyclesRule } from '../rules/cycles-rule.ts';
import { namesRule } from '../rules/names-rule.ts';
import { WrittenNode } from '../rules/written-node.ts';
import { findWarnings } from './find-warnings.ts';

const RULES = [namesRule, addressesRule, cyclesRule, choicesRule];
const FAULTS_SHOWN_MAX = 100;

export interface ParseOptions extends ConfigSurroundings {
  /** For messages. */
  readonly file: string;
  /** For certificates that are over. */
  readonly nowMs: number;
  /** For addresses that lead back to it. */
  readonly machine?: Machine;
}

/** Reads YAML, or JSON. Throws InvalidProxyConfig with everything that is wrong. */
export function parseProxyConfig(text: string, options: ParseOptions): ProxyConfig {
  const document = parseDocument(text, options.file);
  const shape = proxyShape(options);
  const { result, faults } = checkDocument(shape, document.value);
  const written = new WrittenNode(document.value);
  const all = [...faults, ...RULES.flatMap((rule) => rule(written, options.machine ?? BARE_MACHINE))];
  const placed = new PlacedFaults(document, shape, options.file);
  if (result === undefined || all.length > 0) throw new InvalidProxyConfig(placed.texts(all));
  const config = complete(result, document);
  return deepFreeze({ ...config, warnings: placed.texts(findWarnings(config, options.nowMs)) });
}

function parseDocument(text: string, file: string): YamlDocument {
  try {
    return YamlDocument.parse(text, file);
  } catch (error) {
    if (error instanceof DomainError) throw new InvalidProxyConfig([error.message], error);
    throw error;
  }
}

function complete(written: WrittenConfig, document: YamlDocument): Omit<ProxyConfig, 'warnings'> {
  const lineOf = (index: number): number => document.placeOf(['routes', index]).line;
  return { ...written, routes: written.routes.map((route, index) => ({ ...route, line: lineOf(index) })) };
}

/** Faults with their places, in the order of the file. */
class PlacedFaults {
  readonly #document: YamlDocument;
  readonly #shape: Shape<unknown>;
  readonly #file: string;

  constructor(document: YamlDocument, shape: Shape<unknown>, file: string) {
    this.#document = document;
    this.#shape = shape;
    this.#file = file;
  }

  texts(faults: readonly DocumentFault[]): readonly string[] {
    const placed = faults.map((fault) => {
      const at = isKnown(this.#shape, fault.path) ? 'value' : 'key';
      return { place: this.#document.placeOf(fault.path, at), text: faultText(fault) };
    });
    placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
    const texts = placed.map(({ place, text }) => `${this.#file}:${place.line}:${place.column}: ${text}`);
    if (texts.length <= FAULTS_SHOWN_MAX) return texts;
    const more = `${this.#file}: and ${texts.length - FAULTS_SHOWN_MAX} more`;
    return [...texts.slice(0, FAULTS_SHOWN_MAX), more];
  }
}

/** Whether the value is to blame for a fault, and not its key. */
function isKnown(shape: Shape<unknown>, path: DocumentPath): boolean {
  let here: Shape<unknown> | undefined = shape;
  for (const part of path) {
    const { fields, item }: Shape<unknown> = here;
    here =
      typeof part === 'number' ? item : Object.hasOwn(fields ?? {}, part) ? fields?.[part]?.shape : undefined;
    if (here === undefined) return false;
  }
  return true;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
