import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ChannelCredentials } from '@grpc/grpc-js';
import { callFault, GraphCaller } from '#graph/testing';
import type { ServerTls } from '#platform/grpc';
import { Authority, isOpensslInstalled } from '../../hive/test/support/certificates.ts';
import { TestService } from './support/test-service.ts';
import { describeUnless } from '#testing';

const describeWithOpenssl = describeUnless(
  isOpensslInstalled ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);

describeWithOpenssl('gRPC with certificates', () => {
  let ours: Authority;
  let foreign: Authority;
  let service: TestService;
  const callers: GraphCaller[] = [];

  beforeAll(() => {
    ours = new Authority('client');
    foreign = new Authority('client');
    ours.make(-1, 'expired');
  });
  afterEach(async () => {
    for (const caller of callers.splice(0)) caller.close();
    await service.stop();
  });
  afterAll(() => {
    for (const authority of [ours, foreign]) authority.remove();
  });

  async function serve(grpcTls: ServerTls): Promise<void> {
    service = await TestService.start({ environment: { PLEXUS_GRPC_PORT: '0' }, grpcTls });
  }

  function calling(authority: Authority, shown?: readonly [Authority, string]): GraphCaller {
    const { ca } = authority.material('client');
    const own = shown?.[0].material(shown[1]);
    const credentials = ChannelCredentials.createSsl(
      Buffer.from(ca),
      own === undefined ? null : Buffer.from(own.key),
      own === undefined ? null : Buffer.from(own.cert),
    );
    const caller = new GraphCaller(service.grpcAddress, { credentials });
    callers.push(caller);
    return caller;
  }

  it('without a client authority serve any client that trusts them, and reject plain text', async () => {
    const { cert, key } = ours.material('hive');
    await serve({ cert, key });
    const plain = new GraphCaller(service.grpcAddress);
    callers.push(plain);

    expect((await calling(ours).query('FIND host')).items).toEqual([]);
    expect(await callFault(calling(foreign).schema())).toMatchObject({ status: 'UNAVAILABLE' });
    expect(await callFault(plain.schema())).toMatchObject({ status: 'UNAVAILABLE' });
  });

  it('with a client authority serve only clients with its certificates', async () => {
    await serve(ours.material('hive'));

    expect((await calling(ours, [ours, 'client']).query('FIND host')).items).toEqual([]);
    expect(await callFault(calling(ours).schema())).toMatchObject({ status: 'UNAVAILABLE' });
    expect(await callFault(calling(ours, [foreign, 'client']).schema())).toMatchObject({
      status: 'UNAVAILABLE',
    });
    expect(await callFault(calling(ours, [ours, 'expired']).schema())).toMatchObject({
      status: 'UNAVAILABLE',
    });
  });

  it('that are invalid prevent the start of the service', async () => {
    const { key } = ours.material('client');
    const refusal = expect.objectContaining({ code: 'CERTIFICATE_INVALID' });

    await expect(serve(ours.material('expired'))).rejects.toEqual(refusal);
    await expect(serve({ ...ours.material('hive'), key })).rejects.toEqual(refusal);
    await serve(ours.material('hive'));
  });
});
