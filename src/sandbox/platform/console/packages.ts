import { findModel } from '../../catalogue/models'
import { findPackage, type IncludedModel, type Package, packages } from '../../catalogue/packages'
import { type Call, ok, type Reply } from '../operation'
import { listPaging, pageOf } from '../paging'
import { notFound } from '../refusals'
import { modelFacts } from './model-facts'

function viewModel({ modelCode, tokenQuota, requestQuota }: IncludedModel) {
  const displayName = findModel(modelCode)?.displayName ?? modelCode
  return { modelCode, displayName, tokenQuota, requestQuota, ...modelFacts(modelCode) }
}

function viewPackage({ packageId, planType, price, durationDays, maxKeys, models }: Package) {
  return { packageId, planType, price, durationDays, maxKeys, models: models.map(viewModel) }
}

/** The package with an id. Throws 404. */
export function packageWith(packageId: string): Package {
  const found = findPackage(packageId)
  if (found === undefined)
    throw notFound(`There is no package "${packageId.slice(0, 100)}". List the packages for their ids.`)
  return found
}

/** One card per Plan Type, the cheapest first. */
export function listPackages({ query }: Call): Reply {
  const cheapestFirst = packages.toSorted((a, b) => a.price - b.price)
  return pageOf({ query, paging: listPaging }, cheapestFirst, viewPackage)
}

/** One Plan Type. Throws 404. */
export function getPackage({ params }: Call): Reply {
  return ok(viewPackage(packageWith(params.packageId ?? '')))
}
