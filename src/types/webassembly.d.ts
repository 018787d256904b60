/** What this project uses of WebAssembly, which Node has and its types do not. */
declare namespace WebAssembly {
  function compile(code: Uint8Array): Promise<Module>

  /** Compiled code, which threads share. */
  class Module {
    constructor(code: Uint8Array)
  }

  class Instance {
    constructor(module: Module)
    readonly exports: object
  }

  class Global {
    private constructor()
    readonly value: number
  }

  class Memory {
    private constructor()
    readonly buffer: ArrayBuffer
  }
}
