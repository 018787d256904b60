// Receives webhooks, checks each, and prints what it says.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { BillhookError, verifyWebhook } from '@billhook/client'

const { secret } = JSON.parse(readFileSync('shop.json', 'utf8'))

createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray())
    const { payload } = verifyWebhook(body, request.headers, secret)
    console.log(`verified: ${payload.status} for ${payload.reference}`)
    response.writeHead(204).end()
  } catch (error) {
    console.log(`rejected: ${error.message}`)
    response.writeHead(error instanceof BillhookError ? 401 : 500).end()
  }
}).listen(process.env.PORT ?? 9000, '127.0.0.1', () => console.log('listening'))
