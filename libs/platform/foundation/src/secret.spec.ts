import { describe, expect, it } from '@jest/globals';
import { redactedUrl, urlSecrets, withoutSecrets } from './secret.ts';

describe('redactedUrl', () => {
  it.each([
    ['https://mainnet.infura.io/v3/9aa3d95b3bc440fa88ea12eaa4456161', 'https://mainnet.infura.io/v3/***'],
    ['https://arb-mainnet.g.alchemy.com/v2/abc-DEF_ghij', 'https://arb-mainnet.g.alchemy.com/v2/***'],
    ['https://rpc.ankr.com/arbitrum/deadbeefdeadbeef1', 'https://rpc.ankr.com/***/***'],
    ['https://x.quiknode.pro/0123456789abcdef0123/', 'https://x.quiknode.pro/***/'],
    ['https://node.example/rpc?apikey=s3cret&chain=1', 'https://node.example/rpc?apikey=***&chain=***'],
    ['https://node.example/?s3cretkey', 'https://node.example/?***'],
    ['https://user:pa%3Ass@node.example:8547/x', 'https://node.example:8547/x'],
    ['wss://feed.example/feed/0a1b2c3d4e5f60718293', 'wss://feed.example/feed/***'],
    ['https://node.example/v3/KEYKEYKEY', 'https://node.example/v3/***'],
    ['https://node.example/rpc/V10/main/key_1/', 'https://node.example/rpc/V10/***/***/'],
    ['https://node.example/4f9d8a1e-6c2b-4d3e-9f00-1234567890ab', 'https://node.example/***'],
  ])('masks the secrets of %s', (url, expected) => {
    expect(redactedUrl(url)).toBe(expected);
  });

  it.each([
    'http://127.0.0.1:8547',
    'https://node.example/arbitrum-one/rpc',
    'https://node.example/api/v1/',
    'ws://127.0.0.1:9642/',
    'no URL',
  ])('returns %s unchanged', (url) => {
    expect(redactedUrl(url)).toBe(url);
  });

  it('lists every secret in each of its spellings', () => {
    const url = 'https://user:pa%3Ass@node.example/0123456789abcdef0123?key=v4lue&a=1';

    expect(urlSecrets(url)).toEqual(['user', 'pa%3Ass', 'pa:ss', '0123456789abcdef0123', 'v4lue']);
    expect(withoutSecrets('no project pa:ss for v4lue', urlSecrets(url))).toBe('no project *** for ***');
  });
});
