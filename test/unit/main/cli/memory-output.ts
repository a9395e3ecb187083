import type { Output } from '../../../../src/main/cli/output'

/** An output that records its writes. */
export interface MemoryOutput extends Output {
  stdout(): string
  stderr(): string
}

export function memoryOutput({ isJson = false } = {}): MemoryOutput {
  const outputText = { out: '', err: '' }
  return {
    isJson,
    hasColour: false,
    out: (text) => {
      outputText.out += text
    },
    err: (text) => {
      outputText.err += text
    },
    stdout: () => outputText.out,
    stderr: () => outputText.err,
  }
}
