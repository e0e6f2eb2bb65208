import { describe, expect, it } from '@jest/globals';
import { id, Interface } from 'ethers';
import { fromHex, toHex } from '../bytes/hex.ts';
import { ContractAbi } from './contract-abi.ts';

const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const LINES = [
  'constructor(string name, uint256 max)',
  'function mint(address to, uint256 id)',
  'function reserves() view returns (uint112 a, uint112 b)',
  'function set(bool on)',
  'function set(uint8 level)',
  'error SoldOut(uint256 max)',
];
const abi = new ContractAbi(LINES);
const peer = new Interface(LINES);

describe('the interface of a contract', () => {
  it('encodes calls and creations as ethers does', () => {
    const args = [ADDRESS, '115792089237316195423570985008687907853269984665640564039457584007913129639935'];

    expect(toHex(abi.function('mint').encode(args))).toBe(peer.encodeFunctionData('mint', args));
    expect(toHex(abi.encodeConstructor(['x', 7]))).toBe(peer.encodeDeploy(['x', 7]));
  });

  it('takes JSON entries, lines, and signatures without an entry', () => {
    const json = new ContractAbi(JSON.parse(peer.formatJson()) as unknown[]);

    expect(json.function('mint').declaration).toBe('function mint(address to, uint256 id)');
    expect(new ContractAbi([]).function('mint(address,uint256)').signature).toBe('mint(address,uint256)');
    expect(json.function('set(uint8)').encode([3])).toEqual(abi.function('set(uint8)').encode([3]));
    expect(json.errors).toEqual(['error SoldOut(uint256 max)']);
  });

  it('takes entries of one signature as one function, as merged files of a proxy have them', () => {
    const merged = new ContractAbi(['function set(bool on)', 'function set(bool isOn) returns (bool)']);

    expect(merged.function('set').declaration).toBe('function set(bool on)');
    expect(merged.function('set(bool)').encode([true])).toEqual(abi.function('set(bool)').encode([true]));
  });

  it('decodes results into values that JSON can carry', () => {
    const data = fromHex(peer.encodeFunctionResult('reserves', [1, 2n ** 100n]));

    expect(abi.function('reserves').decode(data)).toEqual(['1', String(2n ** 100n)]);
    expect(() => abi.function('reserves').decode(new Uint8Array(3))).toThrow('is no result of reserves()');
  });

  it.each([
    ['mint', [ADDRESS], 'expected 2 arguments (address to, uint256 id), got 1'],
    ['mint', ['0x12', 1], 'expected arguments for (address to, uint256 id): invalid address at'],
    ['mint', [ADDRESS, -1], 'value out-of-bounds'],
    ['mint', [ADDRESS, 'x'], 'expected arguments for (address to, uint256 id)'],
    ['f((uint256 a,bool b) s)', [{ a: 1 }], 'expected (uint256 a, bool b) s'],
    ['f((uint256 a,bool b) s)', [{ a: 1, c: true }], 'expected true or false for a bool'],
    ['f(bool[] l)', [[true, 'false']], 'expected true or false for a bool'],
    ['f(bool[] l)', [true], 'expected arguments for (bool[] l)'],
    ['set(bool)', ['false'], 'expected true or false for a bool'],
    ['set', [true], 'got several of this name: set(bool) or set(uint8)'],
    ['burn', [], 'expected a function of the ABI'],
    ['burn(uint', [], 'expected a declaration of an ABI'],
  ])('rejects a call of %s with %j', (name, args, message) => {
    expect(() => abi.function(name).encode(args)).toThrow(message);
  });

  it.each([[1], [null], [{ type: 'function' }], ['functio x()'], [{}], [['function x()']]])(
    'rejects the entry %j',
    (entry) => {
      expect(() => new ContractAbi([entry])).toThrow('expected a declaration of an ABI');
    },
  );

  it.each([
    [peer.encodeErrorResult('SoldOut', [7]), 'SoldOut("7")'],
    [new Interface(['error Error(string)']).encodeErrorResult('Error', ['not\nnow']), 'Error("not\\nnow")'],
    [
      new Interface(['error Panic(uint256)']).encodeErrorResult('Panic', [0x11]),
      'Panic(0x11): arithmetic overflow or underflow',
    ],
    ['0x', 'no reason given'],
    ['0x01020304', 'unknown error 0x01020304'],
    ['0x01', 'unknown error 0x01'],
    // The selector of a known error, cut off or with a length beyond its end.
    [id('Error(string)').slice(0, 10), `unknown error ${id('Error(string)').slice(0, 10)}`],
    [
      `${id('Error(string)').slice(0, 10)}${'ff'.repeat(64)}`,
      `unknown error ${id('Error(string)').slice(0, 10)}${'ff'.repeat(32)}…`,
    ],
  ])('names the reason in %s', (data, reason) => {
    expect(abi.reasonOf(fromHex(data))).toBe(reason);
  });

  it('shortens a long reason', () => {
    const long = new Interface(['error Error(string)']).encodeErrorResult('Error', ['x'.repeat(5_000)]);

    expect(abi.reasonOf(fromHex(long)).length).toBeLessThanOrEqual(256);
  });
});
