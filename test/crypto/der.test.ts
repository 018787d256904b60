import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeDerSignature } from '../../src/crypto/der.js'
import { encodeDer } from '../support/signing.js'

const R = '11'.repeat(32)
const S = '22'.repeat(32)
const valid = `30440220${R}0220${S}`

describe('strict DER of a signature', () => {
  test('is read as r and s of 32 bytes each', () => {
    const cases: [string, string][] = [
      [valid, R + S],
      ['3006020101020102', `${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`],
      ['3006020100020100', '0'.repeat(128)],
      ['300702020080020101', `${'80'.padStart(64, '0')}${'1'.padStart(64, '0')}`],
      [`3046022100${'ff'.repeat(32)}022100${'ff'.repeat(32)}`, 'ff'.repeat(64)],
      [`3045022100${'80'.repeat(32)}0220${S}`, '80'.repeat(32) + S],
    ]
    for (const [der, compact] of cases) {
      const decoded = decodeDerSignature(Buffer.from(der, 'hex'))
      assert.equal(decoded === null ? null : Buffer.from(decoded).toString('hex'), compact, der)
    }
  })

  const refused: Readonly<Record<string, string>> = {
    empty: '',
    'a tag alone': '30',
    'an empty sequence': '3000',
    'not a sequence': `31440220${R}0220${S}`,
    'a constructed set tag': `20440220${R}0220${S}`,
    'a sequence length one too small': `30430220${R}0220${S}`,
    'a sequence length one too great': `30450220${R}0220${S}`,
    'a sequence length of zero': `30000220${R}0220${S}`,
    'the long form of the sequence length': `3081440220${R}0220${S}`,
    'the long form with a leading zero': `308200440220${R}0220${S}`,
    'an indefinite length': `30800220${R}0220${S}0000`,
    'a trailing byte': `${valid}00`,
    'a trailing byte within the sequence': `30450220${R}0220${S}00`,
    'an end-of-contents within the sequence': `30460220${R}0220${S}0000`,
    'a third integer': `30470220${R}0220${S}020101`,
    'only r': `30220220${R}`,
    'r twice as long': `30640240${R}${R}0220${S}`,
    'r of no bytes': `302402000220${S}`,
    's of no bytes': `30240220${R}0200`,
    'r that is negative': `30440220${'81'.repeat(32)}0220${S}`,
    's that is negative': `30440220${R}0220${'81'.repeat(32)}`,
    'r of -1': `30250201ff0220${S}`,
    'r padded by a zero': `3045022100${R}0220${S}`,
    's padded by a zero': `30450220${R}022100${S}`,
    'r padded by two zeros': `304602220000${R}0220${S}`,
    'r of 0 padded by a zero': `3026020200000220${S}`,
    'r of 33 significant bytes': `3045022101${R}0220${S}`,
    'r padded by ff': `30450221ff${'81'.repeat(32)}0220${S}`,
    'r of another type': `30440320${R}0220${S}`,
    's of another type': `30440220${R}0420${S}`,
    'r in the long form': `3045028120${R}0220${S}`,
    'r whose length reaches into s': `30440221${R}0220${S}`,
    's whose length reaches beyond the end': `30440220${R}0221${S}`,
    's one byte shorter than the sequence': `30440220${R}021f${S}`,
    's whose length is missing': `30230220${R}02`,
    'r and s without DER': R + S,
    'PEM-like text': Buffer.from('-----BEGIN').toString('hex'),
  }
  for (const [name, der] of Object.entries(refused)) {
    test(`refuses ${name}`, () => assert.equal(decodeDerSignature(Buffer.from(der, 'hex')), null))
  }

  test('refuses every truncation and every extension', () => {
    const der = encodeDer(BigInt(`0x${'ff'.repeat(32)}`), BigInt(`0x${'7f'.repeat(32)}`))
    assert.notEqual(decodeDerSignature(der), null)
    for (let length = 0; length < der.length; length++) {
      assert.equal(decodeDerSignature(der.subarray(0, length)), null, `${length} bytes`)
    }
    for (let extra = 1; extra < 10; extra++) {
      assert.equal(decodeDerSignature(Buffer.concat([der, Buffer.alloc(extra)])), null, `${extra} bytes more`)
    }
  })
})
