/** llhttp, compiled, as undici has it with it. */
export const llhttpBytes: Uint8Array<ArrayBuffer>
