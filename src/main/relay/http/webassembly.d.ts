/** What is used of WebAssembly; the types of Node leave it out. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>)
    readonly exports: unknown
  }
  interface Memory {
    readonly buffer: ArrayBuffer
  }
}
