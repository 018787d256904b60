import { after, before, describe } from 'node:test'
import { IMPLEMENTATIONS, implementationsAbsence } from './implementations.js'
import { testReader } from './reader-tests.js'
import { testService } from './service-tests.js'
import { Site } from './site.js'

for (const implementation of IMPLEMENTATIONS) {
  // Both on one node, for such a node takes longer to start than most of the tests take.
  describe(implementation.name, { skip: implementationsAbsence }, () => {
    let site: Site
    before(async () => {
      site = await Site.start(implementation)
    })
    after(() => site?.stop())
    testService(implementation, () => site)
    testReader(implementation, () => site)
  })
}
