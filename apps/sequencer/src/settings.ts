import { enumSetting, integerSetting, logSettings, type Settings, stringSetting } from '#platform/config';

const PORT_MAX = 65_535;

/** Prefix of the sequencer's environment variables. */
export const SETTING_PREFIX = 'PLEXUS_SEQUENCER_';

/** All settings; docs/sequencer.md shows them as a table. */
export const SETTING_TABLE = {
  mode: enumSetting(
    { env: 'PLEXUS_SEQUENCER_MODE', about: 'engine that executes transactions', fallback: 'anvil' },
    ['anvil', 'sim'],
  ),
  host: stringSetting({
    env: 'PLEXUS_SEQUENCER_HOST',
    about: 'listen address',
    fallback: '127.0.0.1',
  }),
  rpcPort: integerSetting(
    { env: 'PLEXUS_SEQUENCER_RPC_PORT', about: 'JSON-RPC port, 0 for any free port', fallback: 8547 },
    0,
    PORT_MAX,
  ),
  feedPort: integerSetting(
    { env: 'PLEXUS_SEQUENCER_FEED_PORT', about: 'feed port, 0 for any free port', fallback: 9642 },
    0,
    PORT_MAX,
  ),
  chainId: integerSetting(
    { env: 'PLEXUS_SEQUENCER_CHAIN_ID', about: 'chain id', fallback: 412_346 },
    1,
    2 ** 32,
  ),
  blockMs: integerSetting(
    { env: 'PLEXUS_SEQUENCER_BLOCK_MS', about: 'block interval in milliseconds', fallback: 250 },
    10,
    60_000,
  ),
  timeboostController: stringSetting({
    env: 'PLEXUS_SEQUENCER_TIMEBOOST_CONTROLLER',
    about: 'address of the controller of the express lane (Timeboost), with mode sim; empty: no express lane',
    fallback: '',
  }),
  timeboostRoundS: integerSetting(
    { env: 'PLEXUS_SEQUENCER_TIMEBOOST_ROUND_S', about: 'seconds of a round of Timeboost', fallback: 60 },
    1,
    86_400,
  ),
  ...logSettings(SETTING_PREFIX),
};

export type SequencerSettings = Settings<typeof SETTING_TABLE>;
