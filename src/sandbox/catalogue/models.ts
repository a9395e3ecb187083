/** A model as the catalogue knows it, whichever plan or price list offers it. */
export interface Model {
  readonly uuid: string
  /** What a call names in its `model` field. */
  readonly modelCode: string
  readonly displayName: string
  readonly hostingMode: 'Shared' | 'Dedicated'
  /** What it can be asked for. */
  readonly enabledTypes: readonly ('chat' | 'completion' | 'vision' | 'tools' | 'embedding')[]
  readonly contextTokens: number
  /** Pay-as-you-go, VND per million input and output tokens. */
  readonly price: { readonly input: number; readonly output: number }
}

const model = (n: number, rest: Omit<Model, 'uuid'>): Model => ({
  uuid: `5a0d8c1e-0000-4000-8000-${String(n).padStart(12, '0')}`,
  ...rest,
})

/** Every model of the sandbox's world. */
export const models: readonly Model[] = [
  model(1, {
    modelCode: 'aurora-large',
    displayName: 'Aurora Large',
    hostingMode: 'Dedicated',
    enabledTypes: ['chat', 'tools'],
    contextTokens: 128_000,
    price: { input: 65_000, output: 260_000 },
  }),
  model(2, {
    modelCode: 'aurora-small',
    displayName: 'Aurora Small',
    hostingMode: 'Shared',
    enabledTypes: ['chat', 'completion', 'tools'],
    contextTokens: 128_000,
    price: { input: 8_000, output: 32_000 },
  }),
  model(3, {
    modelCode: 'vega-coder',
    displayName: 'Vega Coder',
    hostingMode: 'Shared',
    enabledTypes: ['chat', 'completion', 'tools'],
    contextTokens: 256_000,
    price: { input: 25_000, output: 100_000 },
  }),
  model(4, {
    modelCode: 'nova-vision',
    displayName: 'Nova Vision',
    hostingMode: 'Shared',
    enabledTypes: ['chat', 'vision'],
    contextTokens: 128_000,
    price: { input: 40_000, output: 120_000 },
  }),
  model(5, {
    modelCode: 'lyra-reason',
    displayName: 'Lyra Reason',
    hostingMode: 'Dedicated',
    enabledTypes: ['chat', 'tools'],
    contextTokens: 200_000,
    price: { input: 90_000, output: 360_000 },
  }),
  model(6, {
    modelCode: 'lotus-vi',
    displayName: 'Lotus Vietnamese',
    hostingMode: 'Shared',
    enabledTypes: ['chat', 'completion'],
    contextTokens: 64_000,
    price: { input: 12_000, output: 48_000 },
  }),
  model(7, {
    modelCode: 'comet-embed',
    displayName: 'Comet Embed',
    hostingMode: 'Shared',
    enabledTypes: ['embedding'],
    contextTokens: 8_192,
    price: { input: 1_500, output: 0 },
  }),
]

/** The model with a code, if there is one. */
export function findModel(modelCode: string): Model | undefined {
  return models.find((one) => one.modelCode === modelCode)
}
