import { describe } from 'node:test'
import { NodeServer } from '../../../src/http/node/server.js'
import { testHttpServer } from '../../contract/http-server.js'
import { testHttpsServer } from '../../contract/https-server.js'
import { testCertificate } from '../../support/certificates.js'

describe('the HTTPS front on node:https', { timeout: 60_000 }, () => {
  testHttpServer({
    Server: NodeServer,
    answersMalformed: true,
    pipelinesPending: true,
    honoursIdleTimeout: true,
    takesChunked: true,
    certificate: testCertificate(),
  })
  testHttpsServer(NodeServer)
})
