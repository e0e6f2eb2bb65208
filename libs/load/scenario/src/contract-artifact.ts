/**
 * Compiled contracts in files of Foundry (`bytecode.object`), Hardhat (`bytecode`) and solc
 * (`evm.bytecode.object`).
 */
import { DomainError } from '#platform/foundation';

type Table = Readonly<Record<string, unknown>>;

/** Reads a file relative to the scenario. */
export type ArtifactReader = (path: string) => Promise<string>;

/**
 * The document with ABI and bytecode in place of the files that its contracts name. Values that are no
 * contracts remain for the check of the scenario. Throws SCENARIO_INVALID with the path of the key.
 */
export async function withArtifacts(document: unknown, read: ArtifactReader): Promise<unknown> {
  if (!isTable(document) || !isTable(document['contracts'])) return document;
  const entries = Object.entries(document['contracts']).map(async ([name, contract]) => {
    if (!isTable(contract) || typeof contract['artifact'] !== 'string') return [name, contract] as const;
    return [name, await inlined(contract, contract['artifact'], { read, name })] as const;
  });
  return { ...document, contracts: Object.fromEntries(await Promise.all(entries)) };
}

async function inlined(
  contract: Table,
  path: string,
  { read, name }: { readonly read: ArtifactReader; readonly name: string },
): Promise<Table> {
  const where = `contracts.${name}.artifact: ${path}`;
  const { abi, bytecode, libraries } = parseArtifact(await read(path), where);
  const isCreated = contract['at'] === undefined;
  const code = isCreated ? { bytecode: linked(bytecode, libraries, where) } : {};
  const own = Object.entries(contract).filter(([key]) => key !== 'artifact');
  return { abi, ...code, ...Object.fromEntries(own) };
}

interface Artifact {
  readonly abi: unknown;
  readonly bytecode: unknown;
  /** `file:name` of those that the bytecode calls by address, as the compiler lists them. */
  readonly libraries: readonly string[];
}

function parseArtifact(text: string, where: string): Artifact {
  const file = jsonOf(text, where);
  const { abi, bytecode, evm, linkReferences } = isTable(file) ? file : {};
  if (!Array.isArray(abi)) throw invalid(where, 'expected a compiled contract with an abi');
  const compiled = isTable(evm) ? evm['bytecode'] : undefined;
  const code = bytecode ?? compiled;
  if (!isTable(code)) return { abi, bytecode: code, libraries: librariesOf(linkReferences) };
  return { abi, bytecode: code['object'], libraries: librariesOf(code['linkReferences']) };
}

function librariesOf(references: unknown): readonly string[] {
  if (!isTable(references)) return [];
  return Object.entries(references).flatMap(([file, names]) => {
    return isTable(names) ? Object.keys(names).map((name) => `${file}:${name}`) : [];
  });
}

/** Creation code with placeholders for libraries would create another contract, or none. */
function linked(bytecode: unknown, libraries: readonly string[], where: string): string {
  if (typeof bytecode !== 'string' || /^(?:0x)?$/.test(bytecode)) {
    throw invalid(where, 'expected bytecode, got none: interfaces and abstract contracts cannot be created');
  }
  const library = /__\$?([^_$][^$]{0,60}?)\$?_*__/.exec(bytecode)?.[1];
  if (library === undefined) return bytecode;
  // A placeholder has only a hash of the name.
  const names = libraries.length === 0 ? `the library ${library}` : libraries.join(', ');
  throw invalid(where, `expected linked bytecode, got a placeholder for ${names}`);
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(where, 'expected JSON');
  }
}

function invalid(where: string, message: string): DomainError {
  return new DomainError('SCENARIO_INVALID', `scenario: ${where}: ${message}`);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
