/** The JSON-RPC methods of the simulated chain. A result is JSON text. */
import type { Socket } from 'node:net';
import { type AccessListEntry, keccak256, toHex, toQuantity } from '#load/chain';
import { Params } from '../rpc/params.ts';
import type { RpcCall } from '../rpc/rpc-call.ts';
import { RPC_CODE, RpcFault } from '../rpc/rpc-fault.ts';
import type { JsonText } from '../rpc/rpc-server.ts';
import { callObjectOf, chosenBlock, chosenState } from './call-params.ts';
import { BASE_FEE_WEI, BLOCK_GAS_MAX, codeDepositGas, intrinsicGas, parentChainGas } from './chain-rules.ts';
import { blockJson, receiptJson, receiptsJson, transactionJson } from './rpc-json.ts';
import { auctionView, sendingMethods } from './sending-methods.ts';
import type { SimSequencer } from './sim-sequencer.ts';

type Method = (params: Params, socket: Socket) => JsonText | Promise<JsonText>;

/** Maximum size of a signed transaction without its data. */
const ENVELOPE_BYTES_MAX = 250;
const ACCESS_ADDRESS_BYTES = 29;
const ACCESS_KEY_BYTES = 33;
const FEE_HISTORY_BLOCKS_MAX = 1_024;
const PERCENTILES_MAX = 100;

export class SimMethods {
  readonly #sim: SimSequencer;
  readonly #methods: Readonly<Record<string, Method>>;

  constructor(sim: SimSequencer) {
    this.#sim = sim;
    this.#methods = Object.freeze({
      ...this.#chainMethods(),
      ...this.#accountMethods(),
      ...this.#blockMethods(),
      ...sendingMethods(sim),
      eth_call: (params: Params) => this.#call(params),
      eth_estimateGas: (params: Params) => this.#estimateGas(params),
    });
  }

  call({ method, params }: RpcCall, socket: Socket): JsonText | Promise<JsonText> {
    const run = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (run !== undefined) return run(new Params(params), socket);
    throw new RpcFault(RPC_CODE.methodNotFound, `the method ${method} does not exist/is not available`);
  }

  #chainMethods(): Record<string, Method> {
    const { chainId, blocks } = this.#sim;
    return {
      eth_chainId: () => quoted(toQuantity(chainId)),
      net_version: () => quoted(String(chainId)),
      web3_clientVersion: () => quoted('plexus-sequencer/sim'),
      web3_sha3: (params) => quoted(toHex(keccak256(params.bytes(0)))),
      eth_syncing: () => 'false',
      eth_blockNumber: () => quoted(toQuantity(blocks.latest.header.number)),
      eth_gasPrice: () => quoted(toQuantity(BASE_FEE_WEI)),
      eth_maxPriorityFeePerGas: () => quoted('0x0'),
      eth_feeHistory: (params) => this.#feeHistory(params),
    };
  }

  #accountMethods(): Record<string, Method> {
    const { blocks, state } = this.#sim;
    return {
      eth_getBalance: (params) => {
        const { history } = state.look(params.address(0));
        return quoted(toQuantity(history.balanceAt(chosenState(blocks, params, 1))));
      },
      eth_getTransactionCount: (params) => {
        const { history } = state.look(params.address(0));
        return quoted(toQuantity(history.nonceAt(chosenState(blocks, params, 1))));
      },
      eth_getCode: (params) => quoted(toHex(state.look(params.address(0)).code)),
    };
  }

  #blockMethods(): Record<string, Method> {
    const { blocks } = this.#sim;
    return {
      eth_getBlockByNumber: (params) =>
        orNull(chosenBlock(blocks, params, 0), (block) => blockJson(block, params.isTrue(1))),
      eth_getBlockByHash: (params) =>
        orNull(blocks.byHash(params.hash(0)), (block) => blockJson(block, params.isTrue(1))),
      eth_getBlockReceipts: (params) => orNull(chosenBlock(blocks, params, 0), receiptsJson),
      eth_getTransactionReceipt: (params) =>
        orNull(blocks.transaction(params.hash(0)), ({ block, entry }) => receiptJson(block, entry)),
      eth_getTransactionByHash: (params) =>
        orNull(blocks.transaction(params.hash(0)), ({ block, entry }) => transactionJson(block, entry)),
    };
  }

  #call(params: Params): JsonText {
    const { to, data } = callObjectOf(params, 0);
    const view = auctionView(this.#sim.expressLane, to, data);
    if (view !== undefined) return quoted(view);
    const isContract = to !== null && this.#sim.state.look(to).isContract;
    if (isContract) this.#requireKnown(data);
    return quoted(isContract ? toHex(this.#sim.tokens.view(to, data)) : '0x');
  }

  /** What is not executed reverts. */
  #requireKnown(data: Uint8Array): void {
    if (this.#sim.tokens.isKnown(data)) return;
    const message =
      'execution reverted: mode sim executes no contracts, except transfers of its token; use --mode anvil';
    throw new RpcFault(RPC_CODE.reverted, message);
  }

  #estimateGas(params: Params): JsonText {
    const { from, to, data, value, accessList } = callObjectOf(params, 0);
    const { state, tokens } = this.#sim;
    if (from !== null && state.look(from).balance < value) {
      throw new RpcFault(RPC_CODE.refused, 'insufficient funds for transfer');
    }
    const isCall = to !== null && state.look(to).isContract;
    if (isCall) this.#requireKnown(data);
    const run = to === null ? codeDepositGas(data.length) : isCall ? tokens.gasOf(data) : 0;
    const before = intrinsicGas({ to, data, accessList });
    const bytes = data.length + accessListBytes(accessList) + ENVELOPE_BYTES_MAX;
    return quoted(toQuantity(before + run + parentChainGas(bytes)));
  }

  #feeHistory(params: Params): JsonText {
    const { blocks } = this.#sim;
    const newest = chosenState(blocks, params, 1);
    const count = Math.min(Number(params.quantity(0)), newest + 1, FEE_HISTORY_BLOCKS_MAX);
    const percentiles = params.has(2) ? params.value(2) : [];
    const noTips = Array.isArray(percentiles) ? percentiles.map(() => '0x0') : [];
    if (noTips.length > PERCENTILES_MAX) {
      throw new RpcFault(RPC_CODE.refused, `over the query limit ${PERCENTILES_MAX}`);
    }
    const numbers = Array.from({ length: count }, (_, index) => newest - count + 1 + index);
    return JSON.stringify({
      oldestBlock: toQuantity(newest - count + 1),
      baseFeePerGas: [...numbers, newest + 1].map(() => toQuantity(BASE_FEE_WEI)),
      gasUsedRatio: numbers.map((number) => {
        return (blocks.byNumber(number)?.transactions.gasUsedByAll ?? 0) / BLOCK_GAS_MAX;
      }),
      ...(noTips.length === 0 ? {} : { reward: numbers.map(() => noTips) }),
    });
  }
}

/** Maximum size in RLP. */
function accessListBytes(entries: readonly AccessListEntry[]): number {
  const keys = entries.reduce((count, { storageKeys }) => count + storageKeys.length, 0);
  return entries.length * ACCESS_ADDRESS_BYTES + keys * ACCESS_KEY_BYTES;
}

/** Quotes a generated text, which has no characters that JSON escapes. */
function quoted(text: string): JsonText {
  return `"${text}"`;
}

function orNull<T>(value: T | undefined, show: (value: T) => JsonText): JsonText {
  return value === undefined ? 'null' : show(value);
}
