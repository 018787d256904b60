import { describe } from 'node:test'
import { NodeServer } from '../../../src/http/node/server.js'
import { testHttpServer } from '../../contract/http-server.js'

describe('the HTTP front on node:http', { timeout: 60_000 }, () => {
  testHttpServer({
    Server: NodeServer,
    answersMalformed: true,
    pipelinesPending: true,
    honoursIdleTimeout: true,
    takesChunked: true,
  })
})
