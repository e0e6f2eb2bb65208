import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { describeUnless } from '#testing';
import { Authority, isOpensslInstalled } from '../../hive/test/support/certificates.ts';
import { TestService } from './support/test-service.ts';

const describeWithOpenssl = describeUnless(
  isOpensslInstalled ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);

describeWithOpenssl('Bolt with a certificate', () => {
  let authority: Authority;
  let service: TestService;

  beforeAll(() => {
    authority = new Authority('client');
  });
  beforeEach(async () => {
    const { cert, key } = authority.material('hive');
    service = await TestService.start({
      environment: { PLEXUS_BOLT_PORT: '0' },
      boltTls: { cert, key },
    });
  });
  afterEach(() => service.stop());
  afterAll(() => {
    authority.remove();
  });

  async function outcome(scheme: string): Promise<string> {
    const driver = neo4j.driver(`${scheme}://${service.boltAddress}`, undefined, {
      maxTransactionRetryTime: 0,
    });
    const found = await driver.executeQuery('RETURN 1').then(
      () => 'answered',
      (error: unknown) => (error instanceof neo4j.Neo4jError ? error.code : String(error)),
    );
    await driver.close();
    return found;
  }

  it.each(['bolt+ssc', 'neo4j+ssc'])('serves %s', async (scheme) => {
    expect(await outcome(scheme)).toBe('answered');
  });

  it.each(['bolt', 'bolt+s'])(
    'is not reached by %s, which is plain or trusts another authority',
    async (scheme) => {
      expect(await outcome(scheme)).toBe('ServiceUnavailable');
      expect(await outcome('bolt+ssc')).toBe('answered');
    },
  );
});
