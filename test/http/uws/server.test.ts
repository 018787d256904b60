import { describe, test } from 'node:test'
import { chooseServer } from '../../../src/http/choose-server.js'
import { testHttpServer } from '../../contract/http-server.js'

const engine = await chooseServer('auto')

describe('the HTTP front on uWebSockets.js', { timeout: 60_000 }, () => {
  if (engine.name !== 'uws') {
    test('has no binary for this Node', { skip: engine.reason }, () => undefined)
    return
  }
  testHttpServer({
    Server: engine.Server,
    answersMalformed: false,
    pipelinesPending: false,
    honoursIdleTimeout: false,
    takesChunked: false,
  })
})
