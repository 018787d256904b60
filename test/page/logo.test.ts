import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { logoOf } from '../../src/page/logo.js'

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"'

const images: readonly [what: string, bytes: Buffer, ending: string, type: string][] = [
  ['PNG', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'png', 'image/png'],
  ['JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'jpg', 'image/jpeg'],
  ['WebP', Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ', 'latin1'), 'webp', 'image/webp'],
  ...[
    `<svg ${XMLNS}/>`,
    `\uFEFF<?xml version="1.0"?>\n<!-- a > b -->\n<svg\n ${XMLNS}></svg>`,
    `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://a" [ <!ENTITY a "b"> ]><svg ${XMLNS}/>`,
  ].map((text): [string, Buffer, string, string] => [
    `SVG: ${text.slice(0, 20)}`,
    Buffer.from(text),
    'svg',
    'image/svg+xml',
  ]),
]

describe('a logo', () => {
  for (const [what, bytes, ending, type] of images) {
    test(`is known by its contents: ${what}`, () => {
      const logo = logoOf(bytes)
      assert.equal(logo?.type, type)
      assert.match(logo?.file ?? '', new RegExp(`^[0-9a-f]{16}\\.${ending}$`))
    })
  }

  for (const [what, text] of [
    ['nothing', ''],
    ['a page', `<!doctype html><html><svg ${XMLNS}/></html>`],
    ['another element', `<svgx ${XMLNS}/>`],
    ['SVG that browsers do not draw', '<svg width="1"/>'],
    ['text before SVG', `x<svg ${XMLNS}/>`],
    ['a comment without an end', `<!-- <svg ${XMLNS}/>`],
    ['a GIF', 'GIF89a'],
    ['a RIFF of sound', 'RIFF\x24\x00\x00\x00WAVEfmt '],
    ['compressed SVG', '\x1f\x8b\x08'],
  ] as const) {
    test(`is not ${what}`, () => assert.equal(logoOf(Buffer.from(text, 'latin1')), null))
  }

  test('has another name when its contents change', () => {
    const [one, other] = [logoOf(Buffer.from(`<svg ${XMLNS}/>`)), logoOf(Buffer.from(`<svg ${XMLNS}></svg>`))]
    assert.notEqual(one?.file, other?.file)
  })

  test('is judged in linear time', () => {
    assert.equal(logoOf(Buffer.from('<!---->'.repeat(30_000))), null)
    assert.equal(logoOf(Buffer.from('<!--'.repeat(60_000))), null)
    assert.equal(logoOf(Buffer.from(`<!DOCTYPE${'['.repeat(200_000)}`)), null)
  })
})
