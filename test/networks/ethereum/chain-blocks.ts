/*
 * Blocks of other chains than Ethereum, as values: what a reader needs of them, and what makes their chain differ. Data of logs
 * that are neither transfers of tokens nor of Polygon's coin are left out.
 */

export interface ChainLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data?: string
}

export interface ChainTransaction {
  readonly hash: string
  readonly type: string
  readonly from: string
  readonly to: string
  readonly value: string
  /** Fields that only this kind of transaction has. */
  readonly more?: Readonly<Record<string, string>>
  readonly status: string
  readonly logs: readonly ChainLog[]
}

export interface ChainBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
  readonly transactionsRoot: string
  readonly gasUsed: string
  /** The bits of its filter of logs that are set, from the lowest one of the last byte. */
  readonly filter: readonly number[]
  /** Fields of the header that only this chain has. */
  readonly more?: Readonly<Record<string, string>>
  readonly transactions: readonly ChainTransaction[]
}

/**
 * Polygon PoS, blocks 9013766 and 9013767: an empty one, and one of two transactions, of which one sends bridged USDC. Each
 * transaction ends with a log of its fee by 0x…1010. From `cli/tests/resources/test_stream/blocks_with_transfers` of
 * github.com/blockchain-etl/polygon-etl at 45c0c7c.
 */
export const POLYGON_9013766: ChainBlock = {
  number: '0x898a06',
  hash: '0x4c21b534ecaac6750ac0bf863ab763a31980be9b944876df6ce5228719421b94',
  parentHash: '0x3dff694664641828171c11cc5130dd6213721b2be38a2e4c6a069c3e79f004e1',
  timestamp: '0x5fee6612',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  gasUsed: '0x0',
  filter: [],
  transactions: [],
}

export const POLYGON_9013767: ChainBlock = {
  number: '0x898a07',
  hash: '0x5c0d7534ce598793f3deb4128daf06788b3b5ca1f799863f2ad669c38c0c33f2',
  parentHash: '0x4c21b534ecaac6750ac0bf863ab763a31980be9b944876df6ce5228719421b94',
  timestamp: '0x5fee6614',
  transactionsRoot: '0xe3d9183490cb989694c33c6ea7424e96acf5c09f55df42d13163e434be1e9f9c',
  gasUsed: '0x503bc',
  filter: [
    20, 25, 41, 124, 186, 231, 248, 269, 308, 313, 319, 326, 346, 362, 365, 370, 393, 412, 432, 470, 481, 486, 518, 532,
    648, 730, 765, 831, 844, 857, 884, 936, 943, 1008, 1053, 1060, 1087, 1088, 1115, 1163, 1238, 1241, 1274, 1328, 1333,
    1415, 1425, 1443, 1482, 1542, 1568, 1595, 1647, 1659, 1660, 1688, 1701, 1806, 1852, 1857, 1884, 1907, 1916, 2003,
    2009, 2042,
  ],
  transactions: [
    {
      hash: '0x4c4ff26c9a472f663dbd9ae3e94befa299e7f645702c04cd335e4e0578209665',
      type: '0x0',
      from: '0x7b5fc677cf27a807adf2ebcef72db3b935df6c0a',
      to: '0xd216153c06e857cd7f72665e0af1d7d82172f494',
      value: '0x0',
      status: '0x1',
      logs: [
        {
          address: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
          topics: [
            '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
            '0x000000000000000000000000a48ee028dee3e4c691381a9bae7f16e710cd7154',
            '0x000000000000000000000000a48ee028dee3e4c691381a9bae7f16e710cd7154',
            '0x0000000000000000000000000000000000000000000000000000000000000000',
          ],
        },
        {
          address: '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
          topics: [
            '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
            '0x0000000000000000000000004d97dcd97ec945f40cf65f87097ace5ea0476045',
            '0x000000000000000000000000a48ee028dee3e4c691381a9bae7f16e710cd7154',
          ],
          data: '0x00000000000000000000000000000000000000000000000000000000092e1942',
        },
        {
          address: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
          topics: [
            '0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca',
            '0x000000000000000000000000a48ee028dee3e4c691381a9bae7f16e710cd7154',
            '0x0000000000000000000000000000000000000000000000000000000000000000',
            '0x3afe074f2b831c7a4b6817a2a0121e143db78b59f18c1e5ae5957ba53899c1aa',
          ],
        },
        {
          address: '0xd216153c06e857cd7f72665e0af1d7d82172f494',
          topics: [
            '0xab74390d395916d9e0006298d47938a5def5d367054dcca78fa6ec84381f3f22',
            '0x0000000000000000000000007b5fc677cf27a807adf2ebcef72db3b935df6c0a',
            '0x000000000000000000000000fff7d07752122f5539020c99626fa4654a91933d',
            '0x000000000000000000000000ab45c5a4b0c941a2f231c04c3f49182e1a254052',
          ],
        },
        {
          address: '0x0000000000000000000000000000000000001010',
          topics: [
            '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63',
            '0x0000000000000000000000000000000000000000000000000000000000001010',
            '0x0000000000000000000000007b5fc677cf27a807adf2ebcef72db3b935df6c0a',
            '0x0000000000000000000000005973918275c01f50555d44e92c9d9b353cadad54',
          ],
          data: '0x0000000000000000000000000000000000000000000000000001c087eca4020000000000000000000000000000000000000000000000000122a925ceffe6aa8000000000000000000000000000000000000000000000003f672bae5bc8aecb0500000000000000000000000000000000000000000000000122a765471342a88000000000000000000000000000000000000000000000003f672d6ee3b552cd05',
        },
      ],
    },
    {
      hash: '0x9a172892455a754d49fbc9b8c46b08acdc976e8c174163e94e0c0929fc157a1d',
      type: '0x0',
      from: '0x8a8c076ad2e974b12223fa5a09f62275cfa0c2c0',
      to: '0x2b2180a92a686cfc03599b9e5027e35b9448e9f3',
      value: '0x0',
      status: '0x1',
      logs: [
        {
          address: '0x904570f1a26422fe913fe1c2c8c47c8dbd9b5bbd',
          topics: [
            '0x64127525826c5d82471daa277c0bb77f8a2158233877db147d35a9ab925f4713',
            '0x000000000000000000000000000000000000000000000000000000005fee6614',
          ],
        },
        {
          address: '0x0000000000000000000000000000000000001010',
          topics: [
            '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63',
            '0x0000000000000000000000000000000000000000000000000000000000001010',
            '0x0000000000000000000000008a8c076ad2e974b12223fa5a09f62275cfa0c2c0',
            '0x0000000000000000000000005973918275c01f50555d44e92c9d9b353cadad54',
          ],
          data: '0x0000000000000000000000000000000000000000000000000000777af62f2400000000000000000000000000000000000000000000000002ef97bae63d3f6c0000000000000000000000000000000000000000000000003f672d6ee3b552cd05000000000000000000000000000000000000000000000002ef97436b4710480000000000000000000000000000000000000000000000003f672de65eab81f105',
        },
      ],
    },
  ],
}

/**
 * Polygon PoS, block 23887160: a swap that pays out in the coin of the chain. Logs of 0x…1010 tell that it moves from the
 * wrapping contract to the router and from there to the sender, and a last one the fee. From
 * `cli/tests/resources/test_stream/block_eip_1559` of the same repository.
 */
export const POLYGON_23887160: ChainBlock = {
  number: '0x16c7d38',
  hash: '0x19e20a4e6be2c6df62cb862bceed53bea424fdcabf654383c3f57fbbf1bf6501',
  parentHash: '0xe5d7ef86c4f4eb4f69c4d4244d3b1a24f6b382b29d4e0c32d1c98fc1708599eb',
  timestamp: '0x61e7620a',
  transactionsRoot: '0x5d1d9b1667af357f640922eee2572d245c7b21119245857f2fd3417db08cfbc9',
  gasUsed: '0x1f62a',
  filter: [
    11, 18, 20, 75, 139, 242, 244, 289, 296, 303, 308, 335, 425, 432, 459, 481, 518, 630, 638, 761, 765, 867, 947, 1043,
    1060, 1071, 1082, 1087, 1098, 1289, 1291, 1328, 1366, 1386, 1415, 1443, 1475, 1486, 1557, 1613, 1630, 1647, 1700,
    1798, 1893, 1965,
  ],
  transactions: [
    {
      hash: '0xcc6321f62e241e512bdbf7f466adfd2bd78543ee4a8efb69c2d58a5451ddb25d',
      type: '0x0',
      from: '0x94b09601b04269b4329ca9c011e71a8105ba8e3f',
      to: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
      value: '0x0',
      status: '0x1',
      logs: [
        {
          address: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
          topics: [
            '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
            '0x000000000000000000000000b1f30b7df529845ab92dfd39e3eefeadc37f9fcc',
            '0x00000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45',
          ],
          data: '0x00000000000000000000000000000000000000000000000047c481412e37b77f',
        },
        {
          address: '0xa247b0476c11dab0be132e91fe63b2b7085d7c0e',
          topics: [
            '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
            '0x00000000000000000000000094b09601b04269b4329ca9c011e71a8105ba8e3f',
            '0x000000000000000000000000b1f30b7df529845ab92dfd39e3eefeadc37f9fcc',
          ],
          data: '0x0000000000000000000000000000000000000000000000015bf26d45d535e38a',
        },
        {
          address: '0xa247b0476c11dab0be132e91fe63b2b7085d7c0e',
          topics: [
            '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
            '0x00000000000000000000000094b09601b04269b4329ca9c011e71a8105ba8e3f',
            '0x00000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45',
          ],
        },
        {
          address: '0xb1f30b7df529845ab92dfd39e3eefeadc37f9fcc',
          topics: [
            '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
            '0x00000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45',
            '0x00000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45',
          ],
        },
        {
          address: '0x0000000000000000000000000000000000001010',
          topics: [
            '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4',
            '0x0000000000000000000000000000000000000000000000000000000000001010',
            '0x0000000000000000000000000d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
            '0x00000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45',
          ],
          data: '0x00000000000000000000000000000000000000000000000047c481412e37b77f000000000000000000000000000000000000000001299781497e2e93e73d0808000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000129978101b9ad52b905508900000000000000000000000000000000000000000000000047c481412e37b77f',
        },
        {
          address: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
          topics: [
            '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
            '0x00000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45',
          ],
        },
        {
          address: '0x0000000000000000000000000000000000001010',
          topics: [
            '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4',
            '0x0000000000000000000000000000000000000000000000000000000000001010',
            '0x00000000000000000000000068b3465833fb72a70ecdf485e0e4c7bd8665fc45',
            '0x00000000000000000000000094b09601b04269b4329ca9c011e71a8105ba8e3f',
          ],
          data: '0x00000000000000000000000000000000000000000000000047c481412e37b77f00000000000000000000000000000000000000000000000047c481412e37b77f0000000000000000000000000000000000000000000000166f78385cc16f23980000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000016b73cb99defa6db17',
        },
        {
          address: '0x0000000000000000000000000000000000001010',
          topics: [
            '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63',
            '0x0000000000000000000000000000000000000000000000000000000000001010',
            '0x00000000000000000000000094b09601b04269b4329ca9c011e71a8105ba8e3f',
            '0x0000000000000000000000007c7379531b2aee82e4ca06d4175d13b9cbeafd49',
          ],
          data: '0x000000000000000000000000000000000000000000000000000f652623ca4e180000000000000000000000000000000000000000000000166f9b6029989784110000000000000000000000000000000000000000000091eec6fa37c6978f33c70000000000000000000000000000000000000000000000166f8bfb0374cd35f90000000000000000000000000000000000000000000091eec7099cecbb5981df',
        },
      ],
    },
  ],
}

/** The sender and the receiver of the transactions with which OP-stack chains begin each block. */
const [DEPOSITOR, L1_BLOCK] = [
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
  '0x4200000000000000000000000000000000000015',
]
const UNSIGNED = { v: '0x0', r: '0x0', s: '0x0', gasPrice: '0x0' }

/**
 * OP Goerli, block 8381743, whole: its only transaction is a deposit of type 0x7e, which nobody signed. From
 * `HeadInfoTest` of Hildr, the OP-stack node in Java (package `io.optimism.driver`).
 */
export const OP_GOERLI_8381743: ChainBlock = {
  number: '0x7fe52f',
  hash: '0x2e4f4aff36bb7951be9742ad349fb1db84643c6bbac5014f3d196fd88fe333eb',
  parentHash: '0xeccf4c06ad0d27be1cadee5720a509d31a9de0462b52f2cf6045d9a73c9aa504',
  timestamp: '0x644434c2',
  transactionsRoot: '0x030e481411042a769edde83d790d583ed69f9d3098d4a78d00e008f749fcfd97',
  gasUsed: '0xb711',
  filter: [],
  transactions: [
    {
      hash: '0x661df2908a63c9701ef4f9bc1d62432f08cbdc8c6fe6012af49405c00de5f69d',
      type: '0x7e',
      from: DEPOSITOR,
      to: L1_BLOCK,
      value: '0x0',
      more: {
        ...UNSIGNED,
        mint: '0x0',
        sourceHash: '0x34ad504eea583add76d3b9d249965356ef6ca344d6766644c929357331bb0dc9',
      },
      status: '0x1',
      logs: [],
    },
  ],
}

/**
 * Base, block 26293517, reduced to its first transaction, the deposit. From `crates/consensus/src/alloy_compat.rs` of
 * github.com/alloy-rs/op-alloy, which has no header of it: the parent, the root and the gas are made up.
 */
export const BASE_26293517: ChainBlock = {
  number: '0x191350d',
  hash: '0x2c475c5d2d609929cec7be9caaaebd29be53e4ef21b1f7b897cb954469e20d01',
  parentHash: `0x${'0b'.repeat(32)}`,
  timestamp: '0x67acc63f',
  transactionsRoot: `0x${'0c'.repeat(32)}`,
  gasUsed: '0xb44c',
  filter: [],
  transactions: [
    {
      hash: '0x096c03d72acb06339c9c7860d1c36b6451932ec0ff16fd34aa9e30a73a245e13',
      type: '0x7e',
      from: DEPOSITOR,
      to: L1_BLOCK,
      value: '0x0',
      more: {
        ...UNSIGNED,
        mint: '0x0',
        depositReceiptVersion: '0x1',
        sourceHash: '0x990d7122a1f121f3a6bc45723e28f4921c269037a77e77ffee3c8585136d1a92',
      },
      status: '0x1',
      logs: [],
    },
  ],
}

/**
 * Arbitrum One, block 201326592, reduced to its first transaction: of type 0x6a, with which ArbOS begins each block. It uses no
 * gas. From a fixture of wire formats in a public Rust repository (triodion), which leaves out the root and the filter.
 */
export const ARBITRUM_201326592: ChainBlock = {
  number: '0xc000000',
  hash: '0x33fb349283ffd2e2c5302492d11fcb96e606cb1899e9bdcef102ab89edf33c70',
  parentHash: '0x08b38a627f91fcffc6581241e9b272ab34438975773e76845703a82e4e3fa5ee',
  timestamp: '0x661d51b9',
  transactionsRoot: `0x${'0a'.repeat(32)}`,
  gasUsed: '0x0',
  filter: [],
  more: {
    l1BlockNumber: '0x12c04c1',
    sendCount: '0x1c40c',
    sendRoot: '0xf0f401b0308982116f63f8af9eac3d2ddf7545cfab79a3e132538c36c1036557',
    mixHash: '0x000000000001c40c00000000012c04c100000000000000140000000000000000',
  },
  transactions: [
    {
      hash: '0x431a1c991fe68597f472ddd6e675570b5e1e0825ea90da5195709658e77bfede',
      type: '0x6a',
      from: '0x00000000000000000000000000000000000a4b05',
      to: '0x00000000000000000000000000000000000a4b05',
      value: '0x0',
      more: { ...UNSIGNED, chainId: '0xa4b1' },
      status: '0x1',
      logs: [],
    },
  ],
}

/**
 * BNB Smart Chain, block 26803, whole and empty. From `binance-smart-chain-bsc/bsc_eth_getblockbynumber.md` of
 * github.com/wetryingtodorock/getblock-docs.
 */
export const BNB_26803: ChainBlock = {
  number: '0x68b3',
  hash: '0xf962d3908e00ce08da5fba7f49fc58e2739e41fc6e029562aa7197feb8ad01ec',
  parentHash: '0x033272e654c39553fb220e86c73c0bfbf2e11905b6848cdd0ab348622577b55f',
  timestamp: '0x5f4b05bd',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  gasUsed: '0x0',
  filter: [],
  transactions: [],
}
