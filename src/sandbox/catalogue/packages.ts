/** What a plan of a type includes of one model per cycle (spec, "Plan": allowances are independent per model). */
export interface IncludedModel {
  readonly modelCode: string
  readonly tokenQuota: number
  readonly requestQuota: number
}

/** A Plan Type of the catalogue (spec, "Package card data"). */
export interface Package {
  readonly packageId: string
  readonly planType: string
  /** VND, VAT included; what is deducted for each cycle. */
  readonly price: number
  readonly durationDays: number
  readonly maxKeys: number
  readonly models: readonly IncludedModel[]
}

const include = (modelCode: string, tokenQuota: number, requestQuota: number): IncludedModel => ({
  modelCode,
  tokenQuota,
  requestQuota,
})

const million = 1_000_000

/** The Plan Types on sale, the cheapest first. */
export const packages: readonly Package[] = [
  {
    packageId: 'package-starter',
    planType: 'Starter',
    price: 99_000,
    durationDays: 30,
    maxKeys: 2,
    models: [include('aurora-small', 10 * million, 10_000), include('vega-coder', 5 * million, 5_000)],
  },
  {
    packageId: 'package-pro',
    planType: 'Pro',
    price: 490_000,
    durationDays: 30,
    maxKeys: 5,
    models: [
      include('aurora-large', 20 * million, 20_000),
      include('aurora-small', 60 * million, 60_000),
      include('vega-coder', 30 * million, 30_000),
      include('nova-vision', 5 * million, 5_000),
    ],
  },
  {
    packageId: 'package-team',
    planType: 'Team',
    price: 1_900_000,
    durationDays: 30,
    maxKeys: 20,
    models: [
      include('aurora-large', 90 * million, 80_000),
      include('aurora-small', 250 * million, 240_000),
      include('vega-coder', 140 * million, 120_000),
      include('nova-vision', 25 * million, 20_000),
      include('lotus-vi', 60 * million, 60_000),
    ],
  },
  {
    packageId: 'package-scale',
    planType: 'Scale',
    price: 7_500_000,
    durationDays: 30,
    maxKeys: 50,
    models: [
      include('aurora-large', 400 * million, 320_000),
      include('aurora-small', 1_000 * million, 1_000_000),
      include('vega-coder', 600 * million, 500_000),
      include('nova-vision', 100 * million, 80_000),
      include('lyra-reason', 120 * million, 60_000),
      include('lotus-vi', 240 * million, 240_000),
    ],
  },
]

/** The package with an id, if there is one. */
export function findPackage(packageId: string): Package | undefined {
  return packages.find((one) => one.packageId === packageId)
}
