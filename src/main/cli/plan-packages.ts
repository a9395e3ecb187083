import type { PackageView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { chooseConnection } from './choose-connection'
import type { CommandContext } from './context'
import type { ConnectionOption } from './known-plans'
import { oneOf } from './one-of'
import { print, table } from './output'
import { counted, figure, money } from './plan-words'

/** Prints what the account can buy: a package, and under it each model with its allowances per cycle. */
export async function listPackages({ core, output }: CommandContext, { connection }: ConnectionOption): Promise<void> {
  const { id: connectionId } = chooseConnection(core, connection)
  const packages = await core.account.packages({ connectionId })
  print(output, packages, () =>
    packages.length > 0 ? table(headings, packages.flatMap(rowsOf)) : ['The catalogue of this console is empty.'],
  )
}

const headings = ['TYPE', 'ID', 'PRICE', 'FOR', 'KEYS', 'MODEL', 'TOKENS', 'REQUESTS']

function rowsOf({ planType, packageId, price, durationDays, maxKeys, models }: PackageView): string[][] {
  const head = [planType, packageId, money(price), counted(durationDays, 'day'), figure(maxKeys)]
  const cells = models.map((one) => [one.modelCode, figure(one.tokenQuota), figure(one.requestQuota)])
  const [first = ['-', '-', '-'], ...more] = cells
  return [[...head, ...first], ...more.map((row) => [...head.map(() => ''), ...row])]
}

/** The package of a type or an id. Fails with `input.invalid`, naming those there are. */
export function choosePackage(packages: readonly PackageView[], wanted: string): PackageView {
  const found = oneOf(packages, wanted, {
    what: 'package',
    idsOf: ({ packageId }) => [packageId],
    namesOf: ({ planType }) => [planType],
  })
  if (found) return found
  const there = packages.map(({ planType }) => planType).join(', ') || 'none'
  const message = `There is no package ${JSON.stringify(wanted.slice(0, 100))}. The console offers: ${there}.`
  throw new AppError('input.invalid', message, { field: 'package' })
}
