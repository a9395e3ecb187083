import type { Operation, Service } from '../operation'
import { getAccount } from './account'
import { createKey, deleteKey, listKeys, updateKey } from './keys'
import { getPackage, listPackages } from './packages'
import { batchDelete, deleteOne } from './plan-deletion'
import { getPlan, listPlans, updatePlan } from './plans'
import { buy, buyAgain } from './purchase'
import { getUsage } from './usage'

const plan = '/token-plans/{planId}'
const key = `${plan}/keys/{keyId}`

const operations: readonly Operation[] = [
  { id: 'console.account.get', method: 'GET', path: '/account', run: getAccount },
  { id: 'console.packages.list', method: 'GET', path: '/packages', run: listPackages },
  { id: 'console.packages.get', method: 'GET', path: '/packages/{packageId}', run: getPackage },
  { id: 'console.tokenPlans.list', method: 'GET', path: '/token-plans', run: listPlans },
  { id: 'console.tokenPlans.create', method: 'POST', path: '/token-plans', run: buy },
  { id: 'console.tokenPlans.batchDelete', method: 'POST', path: '/token-plans:batch-delete', run: batchDelete },
  { id: 'console.tokenPlans.get', method: 'GET', path: plan, run: getPlan },
  { id: 'console.tokenPlans.update', method: 'PATCH', path: plan, run: updatePlan },
  { id: 'console.tokenPlans.delete', method: 'DELETE', path: plan, run: deleteOne },
  { id: 'console.tokenPlans.buyAgain', method: 'POST', path: `${plan}:buy-again`, run: buyAgain },
  { id: 'console.keys.list', method: 'GET', path: `${plan}/keys`, run: listKeys },
  { id: 'console.keys.create', method: 'POST', path: `${plan}/keys`, run: createKey },
  { id: 'console.keys.update', method: 'PATCH', path: key, run: updateKey },
  { id: 'console.keys.delete', method: 'DELETE', path: key, run: deleteKey },
  { id: 'console.usage.get', method: 'GET', path: `${plan}/usage`, run: getUsage },
]

/** The console contract (ours: the spec shows no endpoints behind the console). */
export const consoleService: Service = { base: '/console', access: 'iam', operations }
