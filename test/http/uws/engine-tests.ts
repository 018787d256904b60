import { describe, test } from 'node:test'
import { chooseServer } from '../../../src/http/choose-server.js'
import { type EngineUnderTest, testHttpServer } from '../../contract/http-server.js'

const engine = await chooseServer('auto')

/** Tests uWebSockets.js as an HTTP server, and with `more`; one skipped test says where it has no binary for this Node. */
export function testUws(
  what: string,
  certificate?: EngineUnderTest['certificate'],
  more?: (Server: EngineUnderTest['Server']) => void,
): void {
  describe(what, { timeout: 60_000 }, () => {
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
      ...(certificate === undefined ? {} : { certificate }),
    })
    more?.(engine.Server)
  })
}
