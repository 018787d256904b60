import { noble } from '../../src/crypto/noble.js'
import { testSecp256k1Engine } from '../contract/secp256k1-engine.js'

testSecp256k1Engine(noble)
