import { llhttpBytes } from './llhttp-bytes.cjs'

/** Told what a parser finds; a number of `answers` changes what it does. Places are of the bytes that are being read. */
export interface Findings {
  onBegin(): number
  onUrl(start: number, end: number): number
  onHeaderName(start: number, end: number): number
  onHeaderValue(start: number, end: number): number
  onHead(isUpgrade: boolean, isKept: boolean): number
  onBody(start: number, end: number): number
  onEnd(): number
}

/** What a finding may be answered with, beside 0: numbers of llhttp. */
export const answers = {
  /** Said of a head: no body follows that llhttp would have to read. */
  withoutBody: 1,
  /** `read` stops behind what was just found. */
  pause: 21,
  /** `read` fails. */
  fail: 24,
}

/** How much is read at a time. */
export const pieceBytes = 16 * 1024

interface Exports {
  readonly memory: WebAssembly.Memory
  malloc(bytes: number): number
  llhttp_alloc(type: number): number
  llhttp_free(parser: number): void
  llhttp_resume(parser: number): void
  llhttp_execute(parser: number, bytes: number, length: number): number
  llhttp_get_error_pos(parser: number): number
  llhttp_get_method(parser: number): number
  llhttp_get_upgrade(parser: number): number
  llhttp_should_keep_alive(parser: number): number
  llhttp_get_http_major(parser: number): number
  llhttp_get_http_minor(parser: number): number
}

/**
 * llhttp, the parser of node:http, as undici has it with it; with none of its lenient ways. One for all connections: it
 * reads one piece at a time.
 */
export class Llhttp {
  readonly #exports: Exports
  #memory: Uint8Array
  #area = 0
  #findings: Findings | undefined

  constructor() {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(llhttpBytes), { env: this.#callbacks() })
    // What undici's build of llhttp exports, checked by whatever calls it first.
    this.#exports = instance.exports as Exports
    this.#memory = new Uint8Array(this.#exports.memory.buffer)
  }

  /** A parser of requests; free it. */
  allocate(): number {
    return this.#exports.llhttp_alloc(typeOfRequests)
  }

  free(parser: number): void {
    this.#exports.llhttp_free(parser)
  }

  resume(parser: number): void {
    this.#exports.llhttp_resume(parser)
  }

  method(parser: number): number {
    return this.#exports.llhttp_get_method(parser)
  }

  /** As 10 or 11. */
  version(parser: number): number {
    return this.#exports.llhttp_get_http_major(parser) * 10 + this.#exports.llhttp_get_http_minor(parser)
  }

  /** How much of a piece (at most `pieceBytes`) was read: all, or up to a pause; undefined when it is no HTTP. */
  read(parser: number, piece: Uint8Array, findings: Findings): number | undefined {
    this.#copy(piece)
    this.#findings = findings
    const code = this.#exports.llhttp_execute(parser, this.#area, piece.length)
    this.#findings = undefined
    if (code === 0) return piece.length
    return code === answers.pause ? this.#exports.llhttp_get_error_pos(parser) - this.#area : undefined
  }

  #copy(piece: Uint8Array): void {
    const { malloc, memory } = this.#exports
    if (this.#area === 0) this.#area = malloc(pieceBytes)
    if (this.#memory.buffer !== memory.buffer) this.#memory = new Uint8Array(memory.buffer)
    this.#memory.set(piece, this.#area)
  }

  #callbacks() {
    type Spanned = 'onUrl' | 'onHeaderName' | 'onHeaderValue' | 'onBody'
    const spanned = (name: Spanned) => (_parser: number, at: number, length: number) => {
      const start = at - this.#area
      return this.#findings?.[name](start, start + length) ?? answers.fail
    }
    return {
      wasm_on_message_begin: () => this.#findings?.onBegin() ?? answers.fail,
      wasm_on_url: spanned('onUrl'),
      wasm_on_status: () => 0,
      wasm_on_header_field: spanned('onHeaderName'),
      wasm_on_header_value: spanned('onHeaderValue'),
      wasm_on_headers_complete: (parser: number) => {
        const { llhttp_get_upgrade: upgrade, llhttp_should_keep_alive: kept } = this.#exports
        return this.#findings?.onHead(upgrade(parser) === 1, kept(parser) === 1) ?? answers.fail
      },
      wasm_on_body: spanned('onBody'),
      wasm_on_message_complete: () => this.#findings?.onEnd() ?? answers.fail,
    }
  }
}

const typeOfRequests = 1
