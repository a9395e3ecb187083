import type { SandboxRequestView } from '@shared/contract'

/** The tokens of one request. */
export interface TokenBar {
  readonly n: number
  readonly at: string
  readonly input: number
  readonly output: number
}

/** The bars of the latest requests that had tokens, the oldest first; requests without figures have no bar, not an empty one. */
export function tokenBars(requests: readonly SandboxRequestView[], most: number): readonly TokenBar[] {
  return [...requests]
    .sort((a, b) => a.n - b.n)
    .flatMap(({ n, at, inputTokens, outputTokens }) =>
      inputTokens === undefined && outputTokens === undefined
        ? []
        : [{ n, at, input: inputTokens ?? 0, output: outputTokens ?? 0 }],
    )
    .slice(-most)
}
