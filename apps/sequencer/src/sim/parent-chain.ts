const BLOCK_SECONDS = 12;
const FIRST_TIMESTAMP = 1_663_224_179;
const FIRST_NUMBER = 15_537_394;

/** The block number of the simulated parent chain, at Ethereum's block rate. */
export function parentBlockNumber(timestamp: number): number {
  return FIRST_NUMBER + Math.floor((timestamp - FIRST_TIMESTAMP) / BLOCK_SECONDS);
}
