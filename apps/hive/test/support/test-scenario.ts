/** A scenario without funding, whose chain is never contacted. */
export const SCENARIO = {
  name: 'test',
  target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
  accounts: { count: 10, fund_wei: '0', reclaim: false },
  // The closed model has no schedule, so the edges of these tests can report any counts.
  load: { model: 'closed', users: 10, stages: [{ duration: '1h' }] },
};

/** The same scenario in the open model. */
export const OPEN_SCENARIO = { ...SCENARIO, load: { stages: [{ duration: '1h', rate: 100 }] } };

/** Its fault, `accounts.count`, is at line 5, column 20. */
export const FAULTY_SCENARIO =
  'name: x\ntarget:\n  chain_id: 412346\n  rpc_urls: [http://127.0.0.1:1]\naccounts: { count: none }\n';
