import type { Group, Measurement, Results, Unit } from '../../bench/results.js'

const HALF_RATE = 'at 10 450 requests per second, from when each was due'

/** A made-up run with something in every part. No figure of it was measured. */
export const sampleResults: Results = {
  startedAt: '2026-01-02T03:04:05.000Z',
  durationSeconds: 754,
  isTiny: false,
  machine: {
    cpu: 'Example CPU at 2.4 GHz',
    cores: 2,
    memoryMiB: 7936,
    os: 'Linux 6.1.0, Debian GNU/Linux 12',
    node: 'v20.20.0',
    versions: { 'uWebSockets.js': '20.0.8', lmdb: '3.5.6', secp256k1: '5.0.2', PostgreSQL: '18.4', wrk: '4.1.0' },
    commit: '0123456789ab+',
  },
  loadGenerator: 'wrk',
  parameters: { seconds: 8, rounds: 5, connections: 1024, wallets: 5000, keys: 50 },
  measurements: [
    of('throughput', 'Billhook', 'per second', [20_400, 21_100, 20_900, 21_600, 19_800]),
    of('throughput', 'Billhook, one hot wallet', 'per second', [19_900, 20_300, 18_700, 20_100, 20_000]),
    of('throughput', 'Billhook on node:http', 'per second', [11_200, 11_900, 11_500, 11_700, 12_300]),
    of('throughput', 'Billhook, noble', 'per second', [560, 571, 549, 580, 566]),
    of('throughput', 'ordinary stack', 'per second', [902, 941, 930, 918, 889], 'Fastify, node:crypto, PostgreSQL'),
    of('throughput', 'ordinary stack, one stored function', 'per second', [1_610, 1_655, 1_640, 1_622, 1_598]),
    of('limits', 'uWS echo', 'per second', [131_000, 136_000, 134_000]),
    of('limits', 'libsecp256k1 verifications, one thread', 'per second', [26_300, 26_800, 26_700]),
    of('limits', 'libsecp256k1 verifications, all cores', 'per second', [50_100, 51_500, 51_200]),
    of('limits', 'LMDB commits', 'per second', [88_000, 97_000, 95_000]),
    of('latency', 'p50', 'ms', [1.21, 1.18, 1.32], HALF_RATE),
    of('latency', 'p90', 'ms', [2.4, 2.31, 2.9], HALF_RATE),
    of('latency', 'p99', 'ms', [6.1, 5.7, 8.8], HALF_RATE),
    of('latency', 'p99.9', 'ms', [14.2, 12.9, 21.5], HALF_RATE),
    of('reads', 'an invoice with its payment', 'per second', [71_000, 74_500, 73_800]),
    of('reads', 'the same bytes from a constant', 'per second', [118_000, 121_000, 120_500]),
    ...sizes('history', 'paid status', 'µs', { 100: 212, 10000: 219, 1000000: 241 }),
    ...sizes('history', 'creation of an invoice', 'µs', { 0: 388, 100: 391, 10000: 397, 1000000: 430 }),
    ...sizes('history', 'paid status, store only', 'µs', { 100: 6.1, 10000: 6.9, 100000: 7.4 }),
    ...sizes('batch', 'verification, libsecp256k1', 'per second', {
      1: 17_900,
      2: 20_800,
      4: 23_100,
      8: 24_600,
      16: 25_500,
      32: 26_100,
      64: 26_300,
      128: 26_400,
    }),
    ...sizes('batch', 'LMDB commit', 'per second', { 1: 4_100, 8: 24_000, 64: 71_000, 256: 92_000, 512: 97_000 }),
    of('webhooks', 'deposit to receiver, p50', 'ms', [2.2, 2.4, 2.1]),
    of('webhooks', 'deposit to receiver, p99', 'ms', [11.2, 14.9, 12.3]),
    of('webhooks', 'deliveries', 'per second', [5_600, 5_900, 5_750]),
    of('process', 'start to first answer', 'ms', [221, 230, 226, 219, 240]),
    of('process', 'memory when idle', 'MiB', [96.4]),
    of('process', 'memory after 1,000,000 invoices', 'MiB', [Number.NaN]),
    of('micro', 'parse an amount', 'µs', [0.412, 0.408, 0.43]),
    of('micro', 'DER to a compact signature', 'µs', [0.31, 0.3, 0.33]),
  ],
  targets: [
    {
      what: 'signed creations ÷ verifications on one thread',
      value: 0.783,
      sense: 'at least',
      target: 0.75,
      floor: 0.6,
      unit: '',
      verdict: 'met',
      from: 'Billhook; libsecp256k1 verifications, one thread',
    },
    {
      what: 'p99 of signed creations at half of the peak rate',
      value: 10.04,
      sense: 'at most',
      target: 10,
      floor: 20,
      unit: 'ms',
      verdict: 'floor holds',
      from: 'latency p99',
    },
    {
      what: 'deliveries to one receiver',
      value: 2_100,
      sense: 'at least',
      target: 5_000,
      floor: 2_500,
      unit: 'per second',
      verdict: 'missed',
      from: 'deliveries',
    },
    {
      what: 'memory after 1,000,000 invoices, more than when idle',
      value: Number.NaN,
      sense: 'at most',
      target: 100,
      floor: 200,
      unit: 'MiB',
      verdict: 'not measured',
      from: 'memory after 1,000,000 invoices; memory when idle',
    },
  ],
  skipped: ['memory after 1,000,000 invoices: the run was asked to leave it out'],
}

function of(group: Group, name: string, unit: Unit, samples: readonly number[], note?: string): Measurement {
  return { group, name, unit, samples, ...(note === undefined ? {} : { note }) }
}

/** A measurement for each size, its repetitions a little around the figure. */
function sizes(group: Group, name: string, unit: Unit, figures: Readonly<Record<number, number>>): Measurement[] {
  return Object.entries(figures).map(([x, figure]) => ({
    group,
    name,
    unit,
    x: Number(x),
    samples: [figure, figure * 0.96, figure * 1.05],
  }))
}
