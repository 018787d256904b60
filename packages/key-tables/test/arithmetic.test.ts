import { test } from 'node:test'
import { noCompiler } from './compiler.js'

/* The cases compile the source when they are loaded. */
if (noCompiler === false) {
  await import('./field-cases.js')
  await import('./order-cases.js')
} else test('the arithmetic modulo p and modulo n', { skip: noCompiler }, () => {})
