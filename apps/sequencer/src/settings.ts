import { enumSetting, integerSetting, logSettings, type Settings, stringSetting } from '#platform/config';

const PORT_MAX = 65_535;

/** Prefix of the sequencer's environment variables. */
export const SETTING_PREFIX = 'PLEXUS_SEQUENCER_';

/** All settings; docs/sequencer.md shows them as a table. */
export const SETTING_TABLE = {
  mode: enumSetting(
    { env: 'PLEXUS_SEQUENCER_MODE', about: 'what executes transactions', fallback: 'anvil' },
    ['anvil', 'sim'],
  ),
  host: stringSetting({
    env: 'PLEXUS_SEQUENCER_HOST',
    about: 'address to listen on',
    fallback: '127.0.0.1',
  }),
  rpcPort: integerSetting(
    { env: 'PLEXUS_SEQUENCER_RPC_PORT', about: 'port of JSON-RPC, 0 for any', fallback: 8547 },
    0,
    PORT_MAX,
  ),
  feedPort: integerSetting(
    { env: 'PLEXUS_SEQUENCER_FEED_PORT', about: 'port of the feed, 0 for any', fallback: 9642 },
    0,
    PORT_MAX,
  ),
  chainId: integerSetting(
    { env: 'PLEXUS_SEQUENCER_CHAIN_ID', about: 'chain id', fallback: 412_346 },
    1,
    2 ** 32,
  ),
  blockMs: integerSetting(
    { env: 'PLEXUS_SEQUENCER_BLOCK_MS', about: 'milliseconds from block to block', fallback: 250 },
    10,
    60_000,
  ),
  ...logSettings(SETTING_PREFIX),
};

export type SequencerSettings = Settings<typeof SETTING_TABLE>;
