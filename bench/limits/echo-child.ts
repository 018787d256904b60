import * as uWS from 'uWebSockets.js'
import { argument, tell } from '../parent.js'
import type { ConstantAnswer } from './constant-server.js'

/** Answers every request, once its body has arrived, with the same bytes. */

const { status, headers, body } = argument<ConstantAnswer>()

function answer(response: uWS.HttpResponse): void {
  response.cork(() => {
    response.writeStatus(status)
    for (const [name, value] of headers) response.writeHeader(name, value)
    response.end(body)
  })
}

const app = uWS.App()
app.get('/*', answer)
app.post('/*', (response) => {
  response.onAborted(() => {})
  response.onData((_chunk, isLast) => {
    if (isLast) answer(response)
  })
})
app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('cannot listen')
  tell({ url: `http://127.0.0.1:${uWS.us_socket_local_port(socket)}` })
})
