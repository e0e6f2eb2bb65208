import { EdgeRegistry } from '#load/coordination';
import {
  type ClockOffset,
  type EdgeChannel,
  type EdgeCredential,
  EdgeGateway,
  type EdgeIdentity,
  type EdgeListener,
  type EdgeRefusal,
  type EdgeRegistration,
  type ReceivedBatch,
} from '#load/protocol';
import { systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { Story } from './story.ts';

/** A gateway over a real registry that records its calls; the test controls the receipt of batches. */
export class RecordingGateway extends EdgeGateway {
  override readonly version = '0.1.0';
  override readonly heartbeatIntervalMs = 100;
  override batchCredit = 4;
  readonly story = new Story();
  readonly channels = new Map<string, EdgeChannel>();
  readonly clocks = new Map<string, ClockOffset>();
  readonly batches: ReceivedBatch[] = [];
  /** Called for each batch. */
  take_: (batch: ReceivedBatch) => Promise<void> = () => Promise.resolve();
  readonly #registry: EdgeRegistry;

  static async make(): Promise<RecordingGateway> {
    const disk = new CrashDisk(3);
    await disk.makeDirectory('/data');
    return new RecordingGateway(await EdgeRegistry.open({ disk, directory: '/data', clock: systemClock }));
  }

  private constructor(registry: EdgeRegistry) {
    super();
    this.#registry = registry;
  }

  override async register(identity: EdgeIdentity): Promise<EdgeRegistration> {
    const before = this.#registry.get(identity.edgeId);
    const registration = await this.#registry.register(identity);
    this.story.record(`registered ${identity.edgeId} ${identity.instanceId}`);
    if (before !== undefined && before.instanceId !== identity.instanceId) {
      this.channels.get(identity.edgeId)?.evict('another took this id');
    }
    return registration;
  }

  override async deregister(credential: EdgeCredential): Promise<void> {
    this.admit(credential);
    await this.#registry.remove(credential.edgeId);
    this.story.record(`deregistered ${credential.edgeId}`);
  }

  override refused({ edgeId, error }: EdgeRefusal): void {
    this.story.record(`refused ${edgeId} ${error.code}`);
  }

  override admit(credential: EdgeCredential): EdgeRegistration {
    return this.#registry.admit(credential);
  }

  override connect({ edgeId, instanceId }: EdgeRegistration, channel: EdgeChannel): EdgeListener {
    this.channels.set(edgeId, channel);
    const tell = (what: string): void => this.story.record(`${edgeId} ${instanceId} ${what}`);
    tell('connected');
    return {
      heartbeat: ({ rpc, currentRunId, samples }) => {
        const sample = samples.map(({ name, labels, value }) => `${name} ${labels['class']} ${value}`);
        tell(`heartbeat ${rpc.chainId} ${rpc.isOk} ${currentRunId} ${sample.join()}`);
      },
      acked: ({ runId, revision }) => tell(`acked ${runId} ${revision}`),
      nacked: ({ runId, revision }, code, reason) => tell(`nacked ${runId} ${revision} ${code} ${reason}`),
      progressed: ({ phase, tally, histograms }) => {
        tell(`progressed ${phase} ${tally.planned} ${Buffer.from(histograms['h'] ?? []).toString('hex')}`);
      },
      clock: (offset) => {
        this.clocks.set(edgeId, offset);
        tell('clock');
      },
      closed: () => tell('closed'),
    };
  }

  override async receiveBatch({ edgeId }: EdgeRegistration, batch: ReceivedBatch): Promise<void> {
    this.batches.push(batch);
    this.story.record(`${edgeId} batch ${batch.runId} ${batch.seq}`);
    await this.take_(batch);
  }
}
