import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import decodeQR from 'qr/decode.js'
import { qrSvg } from '../../src/page/qr.js'

/** Pixels of a module, so that a scanner finds the code. */
const SCALE = 4

/** The image as pixels: the runs of dark modules of its path on a white square. */
function draw(svg: string): { width: number; height: number; data: Uint8Array } {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const width = size * SCALE
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [, x = '', y = '', length = ''] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = Number(y) * SCALE; row < (Number(y) + 1) * SCALE; row += 1) {
      const start = (row * width + Number(x) * SCALE) * 4
      for (let at = start; at < start + Number(length) * SCALE * 4; at += 1) if (at % 4 !== 3) data[at] = 0
    }
  }
  return { width, height: width, data }
}

describe('the code of an address', () => {
  for (const address of ['0x52908400098527886E0F7030069857D2E4169EE7', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf']) {
    test(`is read as ${address}, and nothing else`, () => assert.equal(decodeQR(draw(qrSvg(address))), address))
  }

  test('is dark on white in every colour scheme, with nothing that runs or loads', () => {
    const svg = qrSvg('address')
    assert.match(
      svg,
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1" shape-rendering="crispEdges"><rect width="\1" height="\1" fill="#fff"\/><path d="[Mhvz0-9 -]+"\/><\/svg>$/,
    )
  })
})
