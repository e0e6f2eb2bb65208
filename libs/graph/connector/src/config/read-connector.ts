import { isAbsent, type JsonObject, kindOf } from '#graph/model';
import { nameHint, SettingFault, YamlDocument, type YamlPath } from '#platform/config';
import { DomainError, type Secret } from '#platform/foundation';
import { type Mapping, parseMapping } from '../mapping/mapping.ts';
import { planWaves } from '../step/plan-waves.ts';
import type { ReadyConnector, Step } from '../step/step.ts';
import { type ConfigField, type ConfigSurroundings, UnsetVariable } from './config-field.ts';
import { type ConnectorSchedule, MANUAL, parseConnectorSchedule } from './connector-schedule.ts';
import type { ConnectorType } from './connector-type.ts';

/** A connector as a file configures it. */
export interface ConfiguredConnector {
  readonly id: string;
  readonly type: ConnectorType;
  readonly schedule: ConnectorSchedule;
  /** Where two sources state one field, the higher wins. */
  readonly priority: number;
  readonly mappings: readonly Mapping[];
  /** Why it cannot run, though its file is right: a variable that is not set. */
  readonly fault: string | undefined;
  /** Its steps, made anew for a run. Throws INVALID_CONFIG when there is a fault. */
  readonly prepare: () => ReadyConnector;
}

export interface ReadOptions {
  /** The connector that the file names by the path of its module. */
  readonly module?: ConnectorType;
  readonly types: readonly ConnectorType[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const KEYS = ['id', 'connector', 'config', 'schedule', 'priority', 'mappings'];
const ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** `api` owns what REST writes; `runs` is a path. */
const RESERVED_IDS: readonly string[] = ['api', 'runs'];

/**
 * Reads `{connector, id?, config?, schedule?, priority?, mappings?}`; without an id it is the file's name.
 * Throws INVALID_CONFIG with `file:line:column` for whatever is wrong, an unknown key with the nearest known
 * one. A variable that is not set is a fault of that connector's runs alone.
 */
export function readConnector(text: string, file: string, options: ReadOptions): ConfiguredConnector {
  const document = YamlDocument.parse(text, file);
  return new ConnectorReader(document, file, options).read();
}

class ConnectorReader {
  readonly #document: YamlDocument;
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #secrets: Secret[] = [];
  readonly #unset: string[] = [];

  constructor(document: YamlDocument, file: string, options: ReadOptions) {
    this.#document = document;
    this.#file = file;
    this.#options = options;
  }

  read(): ConfiguredConnector {
    const top = this.#map(this.#document.value, []);
    this.#refuseUnknown(top, KEYS, []);
    const type = this.#type(top['connector']);
    const config = this.#config(type, isAbsent(top['config']) ? {} : this.#map(top['config'], ['config']));
    this.#checkSteps(type.steps(config));
    const fault = this.#unset.length === 0 ? undefined : this.#unset.join('; ');
    const prepare = (): ReadyConnector => {
      if (fault !== undefined) throw new DomainError('INVALID_CONFIG', fault);
      return { steps: type.steps(config), config, secrets: this.#secrets };
    };
    return {
      id: this.#id(top['id']),
      type,
      schedule: this.#schedule(top['schedule']),
      priority: this.#priority(top['priority']),
      mappings: this.#mappings(top['mappings']),
      fault,
      prepare,
    };
  }

  #type(value: unknown): ConnectorType {
    const { types, module } = this.#options;
    if (module !== undefined) return module;
    const name = this.#text(value, ['connector']);
    const names = types.map((each) => each.name);
    const type = types.find((each) => each.name === name);
    if (type !== undefined) return type;
    throw this.#document.fault(['connector'], `there is no connector "${name}": ${nameHint(name, names)}`);
  }

  #id(value: unknown): string {
    const fileName = this.#file.slice(this.#file.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
    const id = isAbsent(value) ? fileName : this.#text(value, ['id']);
    if (!ID.test(id)) {
      throw this.#document.fault(
        ['id'],
        'id: expected lower-case letters, digits, dots, dashes and underscores',
      );
    }
    if (RESERVED_IDS.includes(id)) throw this.#document.fault(['id'], `id: ${id} is reserved`);
    return id;
  }

  #schedule(value: unknown): ConnectorSchedule {
    if (isAbsent(value)) return MANUAL;
    const text = this.#text(value, ['schedule']);
    return this.#checked(['schedule'], () => parseConnectorSchedule(text));
  }

  #priority(value: unknown): number {
    if (isAbsent(value)) return 0;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    const got = typeof value === 'number' ? 'another number' : kindOf(value);
    throw this.#document.fault(['priority'], `priority: expected an integer, got ${got}`);
  }

  #config(type: ConnectorType, given: JsonObject): Record<string, unknown> {
    this.#refuseUnknown(given, Object.keys(type.config), ['config']);
    const values: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(type.config))
      values[name] = this.#field(name, field, given[name]);
    return Object.freeze(values);
  }

  #field(name: string, field: ConfigField<unknown>, value: unknown): unknown {
    const { environment } = this.#options;
    const surroundings: ConfigSurroundings = {
      file: this.#file,
      environment,
      onSecret: (secret) => this.#secrets.push(secret),
    };
    if (isAbsent(value)) {
      if ('fallback' in field) return field.fallback;
      throw this.#document.fault(['config'], `config.${name} is missing: ${field.about}`);
    }
    try {
      return field.parse(value, surroundings);
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error;
      if (error instanceof UnsetVariable) {
        this.#unset.push(`config.${name}: ${error.message}`);
        return undefined;
      }
      throw this.#document.fault(['config', name], `config.${name}: ${error.message}`);
    }
  }

  #mappings(value: unknown): readonly Mapping[] {
    if (isAbsent(value)) return [];
    if (!Array.isArray(value))
      throw this.#document.fault(['mappings'], `expected a list, got ${kindOf(value)}`);
    return value.map((each: unknown, index) => {
      const path = ['mappings', index];
      const map = this.#map(each, path);
      this.#refuseUnknown(map, ['verb', 'from', 'to', 'on'], path);
      const text = (name: string): string => this.#text(map[name], [...path, name]);
      const given = { verb: text('verb'), from: text('from'), to: text('to'), on: text('on') };
      return parseMapping(given, (name, message) => this.#document.fault([...path, name], message));
    });
  }

  /** A table may allow what makes no plan. */
  #checkSteps(steps: readonly Step[]): void {
    this.#checked(['connector'], () => planWaves(steps));
  }

  /** What `read` gives; its `DomainError` becomes a refusal of the value at this path. */
  #checked<Value>(path: YamlPath, read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      if (error instanceof DomainError) throw this.#document.fault(path, error.message);
      throw error;
    }
  }

  #refuseUnknown(given: JsonObject, known: readonly string[], path: YamlPath): void {
    const unknown = Object.keys(given).find((name) => !known.includes(name));
    if (unknown === undefined) return;
    throw this.#document.fault(
      [...path, unknown],
      `unknown key "${unknown}", ${nameHint(unknown, known)}`,
      'key',
    );
  }

  #map(value: unknown, path: YamlPath): JsonObject {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw this.#document.fault(path, `expected keys with values, got ${kindOf(value)}`);
  }

  #text(value: unknown, path: YamlPath): string {
    if (typeof value === 'string' && value !== '') return value;
    const name = path.at(-1) ?? '';
    throw this.#document.fault(
      path,
      `${name}: expected a text, got ${value === '' ? 'an empty one' : kindOf(value)}`,
    );
  }
}
