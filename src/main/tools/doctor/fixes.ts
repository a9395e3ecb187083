import type { DoctorFix, Finding } from '@shared/contract'
import type { Failure, FailureCode } from '@shared/failure'

/** What a button can do about a failure. */
const fixes: { readonly [code in FailureCode]?: DoctorFix } = {
  'vault.unavailable': 'unlockKeychain',
  'vault.keyMissing': 'replaceKey',
  'key.notFound': 'chooseKey',
  'plan.notFound': 'applyAgain',
  'clipboard.noKey': 'applyAgain',
  'input.invalid': 'applyAgain',
  'tool.notConfigured': 'applyAgain',
  'tool.helperFailed': 'applyAgain',
  'tool.otherGateway': 'applyAgain',
  'file.unparsable': 'openFile',
  'file.notStrict': 'openFile',
  'file.notEditable': 'openFile',
  'file.unreadable': 'openFile',
  'address.notAnAddress': 'applyAgain',
  'address.credentials': 'applyAgain',
  'address.insecure': 'applyAgain',
  'gateway.keyRejected': 'replaceKey',
  'gateway.planExpired': 'chooseKey',
  'gateway.modelNotInPlan': 'chooseModel',
  'gateway.quotaExhausted': 'chooseModel',
  'gateway.wrongSuffix': 'applyAgain',
  'gateway.rateLimited': 'retry',
  'gateway.serverError': 'retry',
  'net.refused': 'retry',
  'net.hostNotFound': 'retry',
  'net.timeout': 'retry',
  'net.cut': 'retry',
  'net.other': 'retry',
  'relay.off': 'startRelay',
}

type Told = Omit<Finding, 'check'>

/** A finding of something that is wrong, with the fix that its failure has unless another is given. */
export function failed(failure: Failure, rest: Partial<Told> = {}): Told {
  const fix = fixes[failure.code]
  return { outcome: 'failed', failure, ...(fix === undefined ? {} : { fix }), ...rest }
}
