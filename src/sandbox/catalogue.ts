/** Models, independent of plans and price lists. Prices are pay-as-you-go, in VND per million tokens. */
const modelRows: readonly (readonly [
  modelCode: string,
  displayName: string,
  hostingMode: 'Shared' | 'Dedicated',
  enabledTypes: readonly ('chat' | 'completion' | 'vision' | 'tools' | 'embedding')[],
  contextTokens: number,
  inputPrice: number,
  outputPrice: number,
])[] = [
  ['aurora-large', 'Aurora Large', 'Dedicated', ['chat', 'tools'], 128_000, 65_000, 260_000],
  ['aurora-small', 'Aurora Small', 'Shared', ['chat', 'completion', 'tools'], 128_000, 8_000, 32_000],
  ['vega-coder', 'Vega Coder', 'Shared', ['chat', 'completion', 'tools'], 256_000, 25_000, 100_000],
  ['nova-vision', 'Nova Vision', 'Shared', ['chat', 'vision'], 128_000, 40_000, 120_000],
  ['lyra-reason', 'Lyra Reason', 'Dedicated', ['chat', 'tools'], 200_000, 90_000, 360_000],
  ['lotus-vi', 'Lotus Vietnamese', 'Shared', ['chat', 'completion'], 64_000, 12_000, 48_000],
  ['comet-embed', 'Comet Embed', 'Shared', ['embedding'], 8_192, 1_500, 0],
]

export const models = modelRows.map(
  ([modelCode, displayName, hostingMode, enabledTypes, contextTokens, input, output], index) => ({
    uuid: `5a0d8c1e-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    modelCode,
    displayName,
    hostingMode,
    enabledTypes,
    contextTokens,
    price: { input, output },
  }),
)

export type Model = Readonly<(typeof models)[number]>

export function findModel(modelCode: string): Model | undefined {
  return models.find((candidate) => candidate.modelCode === modelCode)
}

/** Quotas of each model per cycle (spec, "Plan": allowances are independent per model). */
type Quotas = Readonly<Record<string, readonly [millionTokens: number, requests: number]>>

export type Package = Readonly<ReturnType<typeof createPackage>>

/** `price` is in VND with VAT, charged per cycle. */
const createPackage = (planType: string, price: number, maxKeys: number, quotas: Quotas) => ({
  packageId: `package-${planType.toLowerCase()}`,
  planType,
  price,
  durationDays: 30,
  maxKeys,
  models: Object.entries(quotas).map(([modelCode, [millionTokens, requestQuota]]) => ({
    modelCode,
    tokenQuota: millionTokens * 1_000_000,
    requestQuota,
  })),
})

/** Plan Types on sale, cheapest first. */
export const packages: readonly Package[] = [
  createPackage('Starter', 99_000, 2, { 'aurora-small': [10, 10_000], 'vega-coder': [5, 5_000] }),
  createPackage('Pro', 490_000, 5, {
    'aurora-large': [20, 20_000],
    'aurora-small': [60, 60_000],
    'vega-coder': [30, 30_000],
    'nova-vision': [5, 5_000],
  }),
  createPackage('Team', 1_900_000, 20, {
    'aurora-large': [90, 80_000],
    'aurora-small': [250, 240_000],
    'vega-coder': [140, 120_000],
    'nova-vision': [25, 20_000],
    'lotus-vi': [60, 60_000],
  }),
  createPackage('Scale', 7_500_000, 50, {
    'aurora-large': [400, 320_000],
    'aurora-small': [1_000, 1_000_000],
    'vega-coder': [600, 500_000],
    'nova-vision': [100, 80_000],
    'lyra-reason': [120, 60_000],
    'lotus-vi': [240, 240_000],
  }),
]

export function findPackage(packageId: string): Package | undefined {
  return packages.find((candidate) => candidate.packageId === packageId)
}
