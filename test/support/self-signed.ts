import { createECDH, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'

/*
 * Self-signed certificates (RFC 5280), written out byte by byte, so that tests need no openssl. Keys are made from random bytes:
 * `generateKeyPairSync` and an export of what it made have been seen to wait for each other for ever in Node 20.
 */

export type KeyKind = 'ec' | 'rsa' | 'ed25519'

export interface SelfSigned {
  readonly kind: KeyKind
  /** The common name of the subject. */
  readonly subject: string
  /** The alternative names. */
  readonly hosts: readonly string[]
  readonly addresses: readonly (readonly number[])[]
  readonly begins: Date
  readonly expires: Date
}

export interface Pems {
  readonly certificate: string
  readonly key: string
}

const SERIAL_BYTES = 16
const ED25519_SEED_BYTES = 32
const PEM_LINE = /.{1,64}/g
/** Beyond this many bytes a length takes bytes of its own. */
const SHORT_LENGTH_MAX = 0x7f

const OID = {
  commonName: [2, 5, 4, 3],
  subjectAltName: [2, 5, 29, 17],
  ecPublicKey: [1, 2, 840, 10045, 2, 1],
  prime256v1: [1, 2, 840, 10045, 3, 1, 7],
  ecdsaWithSha256: [1, 2, 840, 10045, 4, 3, 2],
  sha256WithRsa: [1, 2, 840, 113549, 1, 1, 11],
  ed25519: [1, 3, 101, 112],
} as const

/** How the certificate of a key of each kind is signed: the algorithm as it is written, and as Node calls its digest. */
const SIGNATURE: Readonly<Record<KeyKind, { readonly algorithm: () => Buffer; readonly digest: string | null }>> = {
  ec: { algorithm: () => sequence(oid(OID.ecdsaWithSha256)), digest: 'sha256' },
  rsa: { algorithm: () => sequence(oid(OID.sha256WithRsa), tagged(0x05)), digest: 'sha256' },
  ed25519: { algorithm: () => sequence(oid(OID.ed25519)), digest: null },
}

/** A certificate for a new key, and the key (PKCS #8). */
export function selfSigned(wanted: SelfSigned): Pems {
  const { kind, subject, begins, expires } = wanted
  const key = newKey(kind)
  const { algorithm, digest } = SIGNATURE[kind]
  const name = sequence(tagged(0x31, sequence(oid(OID.commonName), tagged(0x0c, Buffer.from(subject)))))
  const toSign = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(randomBytes(SERIAL_BYTES)),
    algorithm(),
    name,
    sequence(utcTime(begins), utcTime(expires)),
    name,
    createPublicKey(key.object).export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(alternativeNames(wanted))),
  )
  const signature = sign(digest, toSign, key.object)
  const certificate = sequence(toSign, algorithm(), bitString(signature))
  return { certificate: pem('CERTIFICATE', certificate), key: key.pem }
}

function alternativeNames({ hosts, addresses }: SelfSigned): Buffer {
  const names = [
    ...hosts.map((host) => tagged(0x82, Buffer.from(host))),
    ...addresses.map((bytes) => tagged(0x87, Buffer.from(bytes))),
  ]
  return sequence(oid(OID.subjectAltName), octets(sequence(...names)))
}

function newKey(kind: KeyKind): { readonly object: KeyObject; readonly pem: string } {
  const text = { ec: ecKeyPem, ed25519: ed25519KeyPem, rsa: () => RSA_KEY }[kind]()
  return { object: createPrivateKey(text), pem: text }
}

/** A new key: PrivateKeyInfo (RFC 5208) around ECPrivateKey (RFC 5915). */
function ecKeyPem(): string {
  const curve = createECDH('prime256v1')
  const point = curve.generateKeys()
  const secret = Buffer.from(curve.getPrivateKey('hex').padStart(64, '0'), 'hex')
  const inner = sequence(integer(Buffer.of(1)), octets(secret), tagged(0xa1, bitString(point)))
  const algorithm = sequence(oid(OID.ecPublicKey), oid(OID.prime256v1))
  return pem('PRIVATE KEY', sequence(integer(Buffer.of(0)), algorithm, octets(inner)))
}

/** A new key: PrivateKeyInfo around CurvePrivateKey (RFC 8410). */
export function ed25519KeyPem(): string {
  const seed = octets(octets(randomBytes(ED25519_SEED_BYTES)))
  return pem('PRIVATE KEY', sequence(integer(Buffer.of(0)), sequence(oid(OID.ed25519)), seed))
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(PEM_LINE) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** A value in DER (X.690). */
function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  if (content.length <= SHORT_LENGTH_MAX) return Buffer.concat([Buffer.of(tag, content.length), content])
  const hex = content.length.toString(16)
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.of(tag, 0x80 + length.length), length, content])
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return tagged(0x30, ...contents)
}

function octets(content: Buffer): Buffer {
  return tagged(0x04, content)
}

/** Of whole bytes. */
function bitString(content: Buffer): Buffer {
  return tagged(0x03, Buffer.of(0), content)
}

/** Not negative, of the fewest bytes. */
function integer(value: Buffer): Buffer {
  const first = value.findIndex((byte) => byte !== 0)
  const digits = first === -1 ? Buffer.of(0) : value.subarray(first)
  return tagged(0x02, ...((digits[0] ?? 0) > 0x7f ? [Buffer.of(0)] : []), digits)
}

function oid([first = 0, second = 0, ...rest]: readonly number[]): Buffer {
  return tagged(0x06, Buffer.of(first * 40 + second), ...rest.map(base128))
}

/** Seven bits a byte, of which all but the last have the highest bit. */
function base128(value: number): Buffer {
  const bytes = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift(0x80 | (left & 0x7f))
  return Buffer.from(bytes)
}

/** Until 2049. */
function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14)
  return tagged(0x17, Buffer.from(`${digits}Z`))
}

/** Random bytes are no RSA key, and one that is made for each test takes long. It is worth nothing outside of the tests. */
const RSA_KEY = `-----BEGIN PRIVATE KEY-----
MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQChED/95Os4BfMu
G/mnpcS1VTidj4ezAC4NTy5TkdpBx+graTMnCpLtFhCC1DlFxTtTllFZGly+CvhG
Fz7Ic8kuc+t/HbYMXU+ZhQNAxV1tPi462viVdcvQOMsx81JJjuStpndISJMmQGCM
MExeWy/pXpybMbx9GaXF5rZCa2fNFx3iqntQ28m9VDvur9aPApePh/GMEr+lpyeG
6md07VcCrTerv87bjStpX2tV5X6nfOP+bMp26sL2V7HuCQlle9EKyAsI1bldZ7rK
A3E97fcVRFuOvagN/q/r/axGcHIRFWH5YgHS8tls8ecksaJjN6FVNwrI+hB8Dee5
aWtMvS2NAgMBAAECggEABVFPx45sDK63m21dhgE1WCZO5vbS7GBEZPiZBzXQzqyu
t+Yyg+a3uJ+qnmMq2+iZ35XeLDKwXq7miQvh7QTTntbBbvI4bTqUcvVfCN+rSLzN
knBh1i9sMfz6CnVl4VtYJfqRxB9vSktEVMSQdOoOUCZpRb9z4W58GGdYW6OHqw/7
qc3AxLEvGBwgcxdP7YWiqU3iZt7K2UGkvRJqbwUtWUqgvGIsdOYx9xINpPh4McGj
2UdXnT8xtPggkpOLY+vneKCzHtJ/iLtIC/zmtuKNlzmIkB87SMFAU4fEod/W9D9L
koqac+7TF6oGJWveuiX/1V6yqkYxwAaOT6yyZv1LsQKBgQDOnoObnsqtYb1YeKqR
9zk2fM0UYDI3//fc3QQLI7/Klcjs+ZSkrKx3ikWjk2gt/3eNyVF09LufOGMc/Sjt
KriOoFKgd/hnGN8ut1//dmfGDX9eE5ntTNuh1Xx4hD7iZOX13YV2rC/O1HKocf8X
Y+C93CChxD0zLjMIXUGPBBJcMQKBgQDHjoWECfqoFJNNcZytSkEmR1gjCOR/Pb9i
AUkQCtPh+C27PW8Q2wFfgytTCn/HtjVcA7A+ZbkRj8YUbcVJZkv0DyjtVC96K9Po
xNL7fde2Tokeh/ilImLYhJV5QCu5mrReUKrh3uInnQI9bsET8VJ0NwkYihBNSoGJ
K9LnDtF8HQKBgQCAsMRCAkY0dWMMnqOGpJfy8wp8vWmp7XkBDHu/QHXthRuPVega
JR6KmgnD10UVGT/qhNCCawgNJH6/CIMcLPakhwDPx8lk1V305+wX3jTGa5PAEa9W
2P8XLjQHkD7mnXeJin7dKmPgi/waJF6AwAmz105P0z1XClhoxkTWAfA5kQKBgBSn
ZJxA6CeDUaefTacF225Zzf56SiP9QRSkq2o0pK9rn1gUyK0G7cJz8gT7PjRuYGFw
pEog/yGZLtgocFXjd5MACq1dnDhZ1untjSSoZq4gvMJjMlHtGCvutQXCpYPlRivI
z5bnGaMd9gBjuSoWPQF4PMHEcGF/h56p4X82omnlAoGBAIhdbgBJWx5VlYH9YZgJ
CyJ+Oe0OUNT2N2gFwZzAb0emrv0sp6m/FV1tnUsKJjXxawgcDFpmFDnFUAEOcZuj
Io5AOMbI0YrQ30FN9MtTeADhrAKofdS6BLnr/rBYrYR5xjnVTeCIbKQx4eSpULma
Pz2NzWO8FtSnkFMMt4p/mps+
-----END PRIVATE KEY-----
`
