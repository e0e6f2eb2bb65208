import { describe, expect, it } from '@jest/globals';
import { isPublic, reachableAddress } from './public-address.ts';

describe('addresses of channel hosts', () => {
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254', '172.16.0.1'],
    ...['172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::ffff:10.0.0.1',
      '::127.0.0.1',
      '64:ff9b::a00:1',
      '2001::1',
      '2002:7f00:1::',
      'fd00::1',
    ],
    ...['fe80::1', 'fe80::1%eth0', 'ff02::1', 'fec0::1', 'feff::1', '100::1', '100:0:0:1::1', '5f00::1'],
    ...['64:ff9b:1::808:808', '64:ff9b::169.254.169.254', '::ffff:7f00:1', '::ffff:0:8.8.8.8', '::8.8.8.8'],
    ...['2001:0:808:808::1', '2001:2::1', '2001:10::1', '2001:db8::1', '2002:808:808::1', '3fff::1'],
    ...[
      '4000::1',
      '8000::1',
      '200::1',
      '192.0.0.9',
      '192.0.2.1',
      '192.88.99.1',
      '198.51.100.1',
      '203.0.113.1',
    ],
    ...['64:ff9b::', '::ffff:0:0', 'not an address', ''],
  ])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '192.31.196.1',
    '192.0.1.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2620:4f:8000::1',
    '2001:200::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it('may be private only for allowed hosts', async () => {
    await expect(reachableAddress('127.0.0.1', ['127.0.0.1'])).resolves.toEqual({
      address: '127.0.0.1',
      family: 4,
    });
    await expect(reachableAddress('[::1]', ['::1'])).resolves.toEqual({ address: '::1', family: 6 });
    await expect(reachableAddress('127.0.0.1', ['localhost'])).rejects.toThrow('on a private network');
    await expect(reachableAddress('localhost', [])).rejects.toThrow('localhost is on a private network');
  });

  it('fail for an unknown name', async () => {
    await expect(reachableAddress('no-such-host.invalid', [])).rejects.toThrow('there is no address for');
  });
});
