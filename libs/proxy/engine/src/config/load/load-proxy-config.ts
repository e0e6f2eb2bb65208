import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { YamlDocument } from '#platform/config';
import { type Disk, DiskError } from '#platform/disk';
import { type Clock, DomainError, systemClock } from '#platform/foundation';
import { ConfigFiles, type FileContent } from '../config-files.ts';
import { InvalidProxyConfig } from '../invalid-proxy-config.ts';
import { type Machine, readMachine } from '../machine.ts';
import type { ProxyConfig } from '../proxy-config.ts';
import { parseProxyConfig } from './parse-proxy-config.ts';

export interface LoadOptions {
  readonly disk: Disk;
  readonly file: string;
  /**
   * What was read of a standard input or a pipe, which can be read only once. The files that it names are on
   * the disk, relative to the working directory.
   */
  readonly text?: string | undefined;
  /** The variables to which `token_env` refers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/** The texts of a configuration: plain data, from which another process can read the same configuration. */
export interface ConfigSources {
  readonly file: string;
  /** Where relative paths start. */
  readonly directory: string;
  readonly text: string;
  /** Contents of the named files, by path. */
  readonly contents: ReadonlyMap<string, FileContent>;
}

export interface LoadedConfig {
  readonly config: ProxyConfig;
  readonly sources: ConfigSources;
  /** Fingerprint of the file and of all named files: equal when nothing has changed. */
  readonly fingerprint: string;
  /** Paths of the named files. */
  readonly files: readonly string[];
  /** Position of each listener's address, by name: `file:line:column`. */
  readonly listenerPlaces: ReadonlyMap<string, string>;
}

/**
 * Reads and validates a configuration and the certificates named by it; opens no socket. Throws
 * InvalidProxyConfig.
 */
export async function loadProxyConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { disk, file, environment, clock = systemClock } = options;
  const source = options.text === undefined ? await readContent(disk, file) : { text: options.text };
  if ('fault' in source) throw new InvalidProxyConfig([`${file}: cannot be read: ${source.fault}`]);
  const context = { environment, machine: await readMachine(disk), nowMs: clock.nowMs() };
  const parse = (files: ConfigFiles): ProxyConfig =>
    parseProxyConfig(source.text, { file, files, ...context });
  const contents = new Map<string, FileContent>();
  const directory = options.text === undefined ? dirname(file) : '.';
  for (const path of filesNamedBy(parse, directory)) contents.set(path, await readContent(disk, path));
  return readSources({ file, directory, text: source.text, contents }, context);
}

/** Throws InvalidProxyConfig. Without a machine, addresses that lead back to the proxy are not detected. */
export function readSources(
  sources: ConfigSources,
  context: {
    readonly environment: LoadOptions['environment'];
    readonly machine?: Machine;
    readonly nowMs: number;
  },
): LoadedConfig {
  const { file, directory, text, contents } = sources;
  const files = new ConfigFiles(directory, contents);
  const config = parseProxyConfig(text, { file, files, ...context });
  return {
    config,
    sources,
    fingerprint: fingerprintOf(text, contents),
    files: Array.from(contents.keys()),
    listenerPlaces: placesOf(config, YamlDocument.parse(text, file), file),
  };
}

function placesOf({ listeners }: ProxyConfig, document: YamlDocument, file: string): Map<string, string> {
  const places = listeners.map(({ name }, index) => {
    const { line, column } = document.placeOf(['listeners', index, 'address']);
    return [name, `${file}:${line}:${column}`] as const;
  });
  return new Map(places);
}

/** The fingerprint of the current files; nothing is validated. */
export async function fingerprintNow(
  { disk, file, text }: Pick<LoadOptions, 'disk' | 'file' | 'text'>,
  files: readonly string[],
): Promise<string> {
  const contents = new Map<string, FileContent>();
  for (const path of files) contents.set(path, await readContent(disk, path));
  if (text !== undefined) return fingerprintOf(text, contents);
  const source = await readContent(disk, file);
  return fingerprintOf('text' in source ? source.text : source.fault, contents);
}

/** The files that a first parse misses; its other faults are found again later. */
function filesNamedBy(parse: (files: ConfigFiles) => ProxyConfig, directory: string): readonly string[] {
  const files = new ConfigFiles(directory, new Map());
  try {
    parse(files);
  } catch (error) {
    if (!(error instanceof InvalidProxyConfig)) throw error;
  }
  return files.missing;
}

/**
 * A file that cannot be read, or is not UTF-8, is a fault of the configuration: no reload may fail on it, or
 * wait for the writer of a pipe.
 */
async function readContent(disk: Disk, path: string): Promise<FileContent> {
  try {
    if (await disk.isStream(path)) return { fault: 'a pipe or a device' };
    return { text: await disk.readText(path) };
  } catch (error) {
    if (error instanceof DiskError) return { fault: error.code };
    if (error instanceof DomainError) return { fault: error.message };
    throw error;
  }
}

function fingerprintOf(text: string, contents: ReadonlyMap<string, FileContent>): string {
  const hash = createHash('sha256').update(JSON.stringify([text, Array.from(contents)]));
  return hash.digest('hex');
}
