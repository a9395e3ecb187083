/** A model in the catalogue, independent of plans and price lists. */
export interface Model {
  readonly uuid: string
  /** Value of the `model` field of a call. */
  readonly modelCode: string
  readonly displayName: string
  readonly hostingMode: 'Shared' | 'Dedicated'
  readonly enabledTypes: readonly ('chat' | 'completion' | 'vision' | 'tools' | 'embedding')[]
  readonly contextTokens: number
  /** Pay-as-you-go, VND per million input and output tokens. */
  readonly price: { readonly input: number; readonly output: number }
}

const model = (n: number, rest: Omit<Model, 'uuid'>): Model => ({
  uuid: `5a0d8c1e-0000-4000-8000-${String(n).padStart(12, '0')}`,
  ...rest,
})

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

export function findModel(modelCode: string): Model | undefined {
  return models.find((candidate) => candidate.modelCode === modelCode)
}

/** Quota per model and cycle (spec, "Plan": allowances are independent per model). */
export interface IncludedModel {
  readonly modelCode: string
  readonly tokenQuota: number
  readonly requestQuota: number
}

export interface Package {
  readonly packageId: string
  readonly planType: string
  /** Price in VND with VAT, charged per cycle. */
  readonly price: number
  readonly durationDays: number
  readonly maxKeys: number
  readonly models: readonly IncludedModel[]
}

const buildIncludedModel = (modelCode: string, tokenQuota: number, requestQuota: number): IncludedModel => ({
  modelCode,
  tokenQuota,
  requestQuota,
})

const million = 1_000_000

/** Plan Types on sale, cheapest first. */
export const packages: readonly Package[] = [
  {
    packageId: 'package-starter',
    planType: 'Starter',
    price: 99_000,
    durationDays: 30,
    maxKeys: 2,
    models: [
      buildIncludedModel('aurora-small', 10 * million, 10_000),
      buildIncludedModel('vega-coder', 5 * million, 5_000),
    ],
  },
  {
    packageId: 'package-pro',
    planType: 'Pro',
    price: 490_000,
    durationDays: 30,
    maxKeys: 5,
    models: [
      buildIncludedModel('aurora-large', 20 * million, 20_000),
      buildIncludedModel('aurora-small', 60 * million, 60_000),
      buildIncludedModel('vega-coder', 30 * million, 30_000),
      buildIncludedModel('nova-vision', 5 * million, 5_000),
    ],
  },
  {
    packageId: 'package-team',
    planType: 'Team',
    price: 1_900_000,
    durationDays: 30,
    maxKeys: 20,
    models: [
      buildIncludedModel('aurora-large', 90 * million, 80_000),
      buildIncludedModel('aurora-small', 250 * million, 240_000),
      buildIncludedModel('vega-coder', 140 * million, 120_000),
      buildIncludedModel('nova-vision', 25 * million, 20_000),
      buildIncludedModel('lotus-vi', 60 * million, 60_000),
    ],
  },
  {
    packageId: 'package-scale',
    planType: 'Scale',
    price: 7_500_000,
    durationDays: 30,
    maxKeys: 50,
    models: [
      buildIncludedModel('aurora-large', 400 * million, 320_000),
      buildIncludedModel('aurora-small', 1_000 * million, 1_000_000),
      buildIncludedModel('vega-coder', 600 * million, 500_000),
      buildIncludedModel('nova-vision', 100 * million, 80_000),
      buildIncludedModel('lyra-reason', 120 * million, 60_000),
      buildIncludedModel('lotus-vi', 240 * million, 240_000),
    ],
  },
]

export function findPackage(packageId: string): Package | undefined {
  return packages.find((candidate) => candidate.packageId === packageId)
}
