import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { projectRoot } from '../support/project-root.js'

const FOLDER = join(projectRoot, 'examples/ledger-contracts')
/** What comes before a compressed point of secp256k1 in the DER of a public key. */
const SPKI_COMPRESSED = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex')

interface Authority {
  readonly public: string
  readonly type: string
  readonly hash: string
}

/** A stream in the hands of a contract, with what a real node was seen to let it do. */
export class HostedStream {
  state: Readonly<Record<string, unknown>> = {}
  authorities: readonly Authority[] = []
  lock: readonly string[] | null = null
  isUpdated = false

  constructor(
    readonly id: string,
    private readonly isNew: boolean,
  ) {}

  getId(): string {
    return this.id
  }

  getState(): Readonly<Record<string, unknown>> {
    return structuredClone(this.state)
  }

  setState(state: Readonly<Record<string, unknown>>): void {
    this.state = { ...this.state, ...state }
    this.isUpdated = true
  }

  getAuthorities(): readonly Authority[] {
    return this.authorities
  }

  setAuthority(key: string, type: string): void {
    this.authorities = [{ public: key, type, hash: sha256(key) }]
    this.isUpdated = true
  }

  setContractLock(contracts: readonly string[]): boolean {
    if (this.isNew) this.lock = contracts
    return this.isNew
  }
}

/** What a contract is run with. */
export interface ContractRun {
  readonly $tx: Readonly<Record<string, unknown>>
  readonly isSelfSigned?: boolean
  /** By the id of a stream, as a node hands them on. */
  readonly sigs?: Readonly<Record<string, unknown>>
  readonly streams?: readonly HostedStream[]
}

/** Every stream of the run by its id, the new ones too, or why the contract refused. */
export type ContractResult = ReadonlyMap<string, HostedStream> | { readonly refused: unknown }

interface Contract {
  verify(isSelfSigned: boolean): Promise<boolean>
  vote(): Promise<boolean>
  commit(): Promise<boolean>
}

/** An example contract, with the texts in it that its operator replaces. */
export class ContractHost {
  private readonly code: string

  constructor(name: string, settings: Readonly<Record<string, string>> = {}) {
    const source = Object.entries(settings).reduce(
      (text, [placeholder, value]) => text.replaceAll(placeholder, value),
      readFileSync(join(FOLDER, `${name}.ts`), 'utf8'),
    )
    this.code = transformSync(source, { loader: 'ts', format: 'cjs' }).code
  }

  async run({ $tx, isSelfSigned = false, sigs = {}, streams = [] }: ContractRun): Promise<ContractResult> {
    const known = new Map(streams.map((stream) => [stream.id, stream]))
    const contract = this.load($tx, sigs, known)
    try {
      await contract.verify(isSelfSigned)
      await contract.vote()
      await contract.commit()
      return known
    } catch (refused) {
      if (refused instanceof Error) throw refused
      return { refused }
    }
  }

  private load(
    transactions: Readonly<Record<string, unknown>>,
    sigs: Readonly<Record<string, unknown>>,
    known: Map<string, HostedStream>,
  ): Contract {
    const create = (name: string, deterministic = 'umid') => {
      const stream = new HostedStream(sha256(`${deterministic}${name}`), true)
      known.set(stream.id, stream)
      return stream
    }
    class Standard {
      readonly transactions = transactions
      readonly sigs = sigs
      newActivityStream = create
      getActivityStreams = (id: string) => known.get(id) ?? create(id)
    }
    const module: { exports: { default?: new () => Contract } } = { exports: {} }
    const run = new Function('require', 'module', 'exports', this.code)
    run(() => ({ Standard, ActiveCrypto: { KeyPair } }), module, module.exports)
    const { default: Loaded } = module.exports
    if (Loaded === undefined) throw new Error('the contract exports nothing')
    return new Loaded()
  }
}

class KeyPair {
  private readonly key

  constructor(type: string, text: string) {
    if (type !== 'secp256k1') throw new Error(`another type of key: ${type}`)
    const der = Buffer.concat([SPKI_COMPRESSED, Buffer.from(text.slice(2), 'hex')])
    this.key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  }

  verify(data: object, signature: string): boolean {
    return verify('sha256', Buffer.from(JSON.stringify(data)), this.key, Buffer.from(signature, 'base64'))
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
