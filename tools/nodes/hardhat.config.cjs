/** A chain of development whose blocks come by themselves, several within a second. */
module.exports = {
  solidity: '0.8.28',
  networks: {
    hardhat: {
      chainId: 31337,
      allowBlocksWithSameTimestamp: true,
      mining: { auto: true, interval: 250 },
      loggingEnabled: false,
    },
  },
};
