import { describe, expect, it } from '@jest/globals';
import { withArtifacts } from './contract-artifact.ts';

const ABI = [{ type: 'function', name: 'f', inputs: [], outputs: [] }];
const HASHED = '0x6001__$0123456789abcdef0123456789abcdef01$__6002';
const REFERENCES = { 'src/Math.sol': { Math: [{ start: 2, length: 20 }] } };

function read(file: unknown, contract: object = {}): Promise<unknown> {
  const document = { name: 'x', contracts: { token: { artifact: 'out/T.json', ...contract } } };
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  return withArtifacts(document, (path) => Promise.resolve(path === 'out/T.json' ? text : ''));
}

describe('the compiled contract of a file', () => {
  it.each([
    ['Foundry', { abi: ABI, bytecode: { object: '0x6001', linkReferences: {} } }],
    ['Hardhat', { abi: ABI, bytecode: '0x6001', linkReferences: {} }],
    ['solc', { abi: ABI, evm: { bytecode: { object: '0x6001' } } }],
  ])('of %s becomes abi and bytecode of the contract', async (_compiler, file) => {
    await expect(read(file, { args: [1] })).resolves.toEqual({
      name: 'x',
      contracts: { token: { abi: ABI, bytecode: '0x6001', args: [1] } },
    });
  });

  it('gives a contract that exists its interface only', async () => {
    await expect(read({ abi: ABI, bytecode: HASHED }, { at: '0x1' })).resolves.toEqual({
      name: 'x',
      contracts: { token: { abi: ABI, at: '0x1' } },
    });
  });

  it.each([
    [
      { abi: ABI, bytecode: { object: HASHED, linkReferences: REFERENCES } },
      'placeholder for src/Math.sol:Math',
    ],
    [{ abi: ABI, bytecode: HASHED, linkReferences: REFERENCES }, 'placeholder for src/Math.sol:Math'],
    [
      { abi: ABI, evm: { bytecode: { object: HASHED, linkReferences: REFERENCES } } },
      'placeholder for src/Math.sol:Math',
    ],
    [{ abi: ABI, bytecode: '0x60__Math__________________________________60' }, 'for the library Math'],
    [{ abi: ABI, bytecode: '0x' }, 'expected bytecode, got none'],
    [{ abi: ABI }, 'expected bytecode, got none'],
    [{ abi: ABI, bytecode: { object: 7, linkReferences: [1] } }, 'expected bytecode, got none'],
    [{ bytecode: '0x6001' }, 'expected a compiled contract with an abi'],
    ['[]', 'expected a compiled contract with an abi'],
    ['{', 'expected JSON'],
  ])('is refused with its key and its file: %j', async (file, message) => {
    const failed = read(file);
    await expect(failed).rejects.toMatchObject({ code: 'SCENARIO_INVALID' });
    await expect(failed).rejects.toThrow('scenario: contracts.token.artifact: out/T.json: ');
    await expect(failed).rejects.toThrow(message);
  });

  it('leaves what is no contract to the check of the scenario', async () => {
    const documents = [null, 3, [], { contracts: 3 }, { contracts: { a: 3, b: { artifact: 3 } } }];

    for (const document of documents) {
      await expect(withArtifacts(document, () => Promise.reject(new Error('read')))).resolves.toEqual(
        document,
      );
    }
  });
});
