import { test } from 'node:test'
import { chooseEngine } from '../../src/verify/engine-choice.js'
import { testSecp256k1Engine } from '../contract/secp256k1-engine.js'

const { engine, reason } = await chooseEngine('auto')
if (engine.name === 'libsecp256k1') testSecp256k1Engine(engine)
else test('the libsecp256k1 engine', { skip: reason }, () => {})
