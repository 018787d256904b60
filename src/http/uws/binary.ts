import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { uwsBinaries } from '../../program-files.js'
import { HEAD_LIMIT_BYTES } from '../server.js'

// The engine reads its limit for the head of a request from the environment once, when its binary is loaded. The default
// of 4 KiB is too little for a browser with cookies. This module is therefore imported before the engine.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEAD_LIMIT_BYTES)

/** SHA-256 of the binaries in uws-pack 20.0.8, by platform, processor and version of Node's binary interface. */
const SUMS: Readonly<Record<string, string>> = {
  darwin_arm64_115: '5d523bccbe80d3d8fa59422ff81801b8179212b9a8a5da28bff6926a95a65701',
  darwin_arm64_120: '98ffa032aeb84b98d432502738871c5748f6a636536d5705702c4985925a41ae',
  darwin_arm64_127: 'abbeea53d48e21c01808203e9f9835728f2cea720d2e5b154837ee3045b513be',
  darwin_x64_115: '1f2a5c73d9dc3066d39b675b73f2c50eddbc4f270d292a6126ddfe3757c54cf9',
  darwin_x64_120: '3dc10babf35b3ce5d4edc7deaddf912a5a72a0ac7ad52b098dbe430c3c540313',
  darwin_x64_127: 'afd992dc1ca1e33cdc7ce0c72a60baf236e590a257fcecbbbce7bc1a35451387',
  linux_arm64_115: 'c0e29fc143b46b584f3debec7910014ec228198fc1f17aaeacd1de7991bd3769',
  linux_arm64_120: 'a855e3b7cc0db70ec503e296d50e91d2435db679bc3bd5433d7dae30e93c9b3c',
  linux_arm64_127: 'd4c4f8b2c28c5f6544b49e36d91b0beee238a5b90a07904a947f77061c8b814d',
  linux_arm_115: 'b02d5bc5ab08f040b6b9b818c3eb92806611f77a4dc2439a8f14cac827d498be',
  linux_arm_120: '814b5e63337d5072a85276d5279824b4f9817f8008fcff1f4a4345e2f2c30444',
  linux_arm_127: '0e1d4024b629a1fe17ec76cde8fe7e320101eb8bdcf7b2c4086933932e3cea23',
  linux_x64_115: '6f8d96d761a64beddb060f1f7f0e617dd293ed127ec1d57507aa561a0083171e',
  linux_x64_120: 'fcb1172837abd2a2dd130f6c6502f18e9b562a5d88bcc3bcdca5e6e710278080',
  linux_x64_127: '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
  win32_x64_115: '58c8b8e47ae3dc6c382dbfc24656755106cbecce56add05ca2c32d5c39951ddd',
  win32_x64_120: '90a09f33c5c876094340a283fa1197b518251a5b8a1f59d9e963736ef0532eb6',
  win32_x64_127: '585d6ee2dbfc750b1d5a59e6ceaef8a977e90ef3e298a82821d58b41cd72a8c0',
}

/** The binary of uWebSockets.js is not the one that this version of Billhook was tested with. */
export class ForeignBinary extends Error {
  constructor(file: string) {
    super(`the binary of uWebSockets.js is not the expected one, and was not loaded: ${file}`)
    this.name = 'ForeignBinary'
  }
}

/**
 * Throws `ForeignBinary` if the native code that the engine's package would load is not the locked one. `npm ci` checks
 * the package when it is downloaded; this checks what is on the disk when it is run, and takes 10 to 20 ms. A missing
 * binary is left to the package to report; the single binary's build has verified the one that it contains.
 */
export function verifyUwsBinary(
  directory: URL | null = uwsBinaries(),
  name: string = `${process.platform}_${process.arch}_${process.versions.modules}`,
): void {
  if (directory === null) return
  const file = new URL(`uws_${name}.node`, directory)
  if (!existsSync(file)) return
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (sum !== SUMS[name]) throw new ForeignBinary(file.pathname)
}
