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
  const { abi, bytecode } = parseArtifact(await read(path), where);
  const isCreated = contract['at'] === undefined;
  const code = isCreated ? { bytecode: linked(bytecode, where) } : {};
  const own = Object.entries(contract).filter(([key]) => key !== 'artifact');
  return { abi, ...code, ...Object.fromEntries(own) };
}

function parseArtifact(text: string, where: string): { readonly abi: unknown; readonly bytecode: unknown } {
  const file = jsonOf(text, where);
  const { abi, bytecode, evm } = isTable(file) ? file : {};
  if (!Array.isArray(abi)) throw invalid(where, 'expected a compiled contract with an abi');
  const compiled = isTable(evm) ? evm['bytecode'] : undefined;
  const code = bytecode ?? compiled;
  return { abi, bytecode: isTable(code) ? code['object'] : code };
}

/** Creation code with placeholders for libraries would create another contract, or none. */
function linked(bytecode: unknown, where: string): string {
  if (typeof bytecode !== 'string' || /^(?:0x)?$/.test(bytecode)) {
    throw invalid(where, 'expected bytecode, got none: interfaces and abstract contracts cannot be created');
  }
  const library = /__\$?([^_$][^$]{0,60}?)\$?_*__/.exec(bytecode)?.[1];
  if (library === undefined) return bytecode;
  throw invalid(where, `expected linked bytecode, got a placeholder for the library ${library}`);
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
