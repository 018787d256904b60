import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accentOf, CONTRAST_MIN, contrast } from '../../src/page/accent.js'
import { GROUNDS } from '../../src/page/style.js'

describe('contrast', () => {
  for (const [one, other, ratio] of [
    ['#000000', '#ffffff', '21.00'],
    ['#ffffff', '#ffffff', '1.00'],
    ['#767676', '#ffffff', '4.54'],
    ['#777777', '#ffffff', '4.48'],
    ['#ff0000', '#ffffff', '4.00'],
    ['#FFD600', '#000000', '14.87'],
  ] as const) {
    test(`of ${one} and ${other} is ${ratio}`, () => {
      assert.equal(contrast(one, other).toFixed(2), ratio)
      assert.equal(contrast(other, one).toFixed(2), ratio)
    })
  }
})

describe('the accent', () => {
  test('can be read on every ground of its scheme, whatever the colour', () => {
    const parts = ['00', '33', '66', '99', 'cc', 'ff']
    for (const red of parts) {
      for (const green of parts) {
        for (const blue of parts) {
          const accent = accentOf(`#${red}${green}${blue}`)
          for (const ground of GROUNDS.light) assert.ok(contrast(accent.light, ground) >= CONTRAST_MIN, accent.given)
          for (const ground of GROUNDS.dark) assert.ok(contrast(accent.dark, ground) >= CONTRAST_MIN, accent.given)
        }
      }
    }
  })

  test('is the given colour where it can be read', () => {
    assert.equal(accentOf('#0a58ca').light, '#0a58ca')
    assert.equal(accentOf('#ffd600').dark, '#ffd600')
  })

  test('is no darker and no lighter than reading needs', () => {
    const { light, dark } = accentOf('#808080')
    assert.ok(contrast(light, GROUNDS.light[0]) < CONTRAST_MIN + 0.3, light)
    assert.ok(contrast(dark, GROUNDS.dark[1]) < CONTRAST_MIN + 0.3, dark)
  })
})
