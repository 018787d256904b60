import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { REPORTS } from '../../src/reports/report.js'
import { Shop } from '../cli/shop.js'
import { projectRoot } from '../support/project-root.js'

const page = readFileSync(join(projectRoot, 'docs/reports.md'), 'utf8')

/** What stands below the heading of a report. */
function sectionOf(name: string): string {
  const [, section] = page.split(new RegExp(`^## \`${name}\`: .*$`, 'm'))
  return section?.split(/^## /m)[0] ?? assert.fail(`no section of ${name}`)
}

describe('docs/reports.md', () => {
  for (const [name, fields] of Object.entries(REPORTS)) {
    test(`names the columns of ${name}, and no other`, () => {
      const section = sectionOf(name)
      const firstCells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell)
      const told = [...(firstCells.length === 0 ? section : firstCells.join(' ')).matchAll(/`([a-z_]+)`/g)]
      assert.deepEqual([...new Set(told.map(([, field]) => field))].sort(), [...fields].sort())
    })
  }

  test('shows commands that work', async () => {
    const shop = await Shop.open()
    try {
      const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? []
      const commands = block.trim().split('\n')
      assert.deepEqual(
        commands.map((line) => / > (\w+)\.csv$/.exec(line)?.[1]),
        Object.keys(REPORTS),
      )
      for (const line of commands) {
        const [program, ...words] = line.replace(/ > .*/, '').split(' ')
        assert.equal(program, 'billhook')
        const { code, stdout, stderr } = await shop.run([...words, '--data', shop.data])
        assert.deepEqual([code, stderr], [0, ''], line)
        assert.match(stdout, /^day,/)
      }
    } finally {
      await shop.close()
    }
  })
})
