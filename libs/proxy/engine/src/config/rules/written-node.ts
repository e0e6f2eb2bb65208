import type { DocumentFault, DocumentPath } from '#platform/config';
import { parseHostPort } from '../host-shapes.ts';
import type { Machine } from '../machine.ts';
import type { HostPort } from '../proxy-config.ts';

/**
 * A value of the file as written, valid or not: rules that compare parts of a file apply to the valid parts
 * of a broken file too, so that all faults are found at once.
 */
export class WrittenNode {
  readonly path: DocumentPath;
  readonly value: unknown;

  constructor(value: unknown, path: DocumentPath = []) {
    this.value = value;
    this.path = path;
  }

  get isPresent(): boolean {
    return this.value !== undefined;
  }

  get isTable(): boolean {
    return isTable(this.value);
  }

  get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  get address(): HostPort | undefined {
    return this.text === undefined ? undefined : parseHostPort(this.text);
  }

  get(key: string): WrittenNode {
    const { value, path } = this;
    const child = isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return new WrittenNode(child, [...path, key]);
  }

  items(key: string): readonly WrittenNode[] {
    const { value, path } = this.get(key);
    return Array.isArray(value) ? value.map((item, index) => new WrittenNode(item, [...path, index])) : [];
  }

  fault(message: string): DocumentFault {
    return { path: this.path, message };
  }
}

/** A rule about several parts of a file. */
export type ConfigRule = (file: WrittenNode, machine: Machine) => readonly DocumentFault[];

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
