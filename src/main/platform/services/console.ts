import type { Failure } from '@shared/failure'
import { readServerMessage } from '../../gateway/server-message'
import { meaningOf } from '../console-refusals'
import { explainRefusal, type Refusal } from '../explain'
import { listDataPaged } from '../paging'
import { purchaseBody } from '../rules'
import { del, get, list, patch, post, service } from '../table'

/** The console's refusals carry a code of their own, which says more than the status. */
function explainConsole(refusal: Refusal): Failure {
  const failure = explainRefusal(refusal)
  const isRefused = refusal.status >= 400 && refusal.status < 500
  const { marks } = readServerMessage(refusal.body)
  return isRefused ? { ...failure, ...meaningOf(marks) } : failure
}

/** Buying and watching token plans: a contract of ours, because the spec shows none (decisions 3). */
export const consoleService = service(
  'console',
  {
    address: 'consoleUrl',
    paging: listDataPaged,
    explain: explainConsole,
    test: { operation: 'account.get' },
  },
  {
    'account.get': get('/account'),
    'packages.list': list('/packages'),
    'packages.get': get('/packages/{packageId}'),
    'tokenPlans.list': list('/token-plans'),
    'tokenPlans.create': post('/token-plans', { body: purchaseBody }),
    'tokenPlans.get': get('/token-plans/{planId}'),
    'tokenPlans.update': patch('/token-plans/{planId}'),
    'tokenPlans.delete': del('/token-plans/{planId}'),
    'tokenPlans.batchDelete': post('/token-plans:batch-delete'),
    'tokenPlans.buyAgain': post('/token-plans/{planId}:buy-again', { body: purchaseBody }),
    'keys.list': list('/token-plans/{planId}/keys'),
    'keys.create': post('/token-plans/{planId}/keys'),
    'keys.update': patch('/token-plans/{planId}/keys/{keyId}'),
    'keys.delete': del('/token-plans/{planId}/keys/{keyId}'),
    'usage.get': get('/token-plans/{planId}/usage', { optionalQuery: ['from', 'to', 'interval', 'model', 'keyId'] }),
  },
)
