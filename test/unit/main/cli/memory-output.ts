import type { Output } from '../../../../src/main/cli/output'

/** An output that records its writes. */
export interface MemoryOutput extends Output {
  stdout(): string
  stderr(): string
}

export function memoryOutput({ isJson = false } = {}): MemoryOutput {
  const written = { out: '', err: '' }
  return {
    isJson,
    hasColour: false,
    out: (text) => {
      written.out += text
    },
    err: (text) => {
      written.err += text
    },
    stdout: () => written.out,
    stderr: () => written.err,
  }
}
