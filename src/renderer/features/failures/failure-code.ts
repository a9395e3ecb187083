import type { FailureCode } from '@shared/failure'
import { failureCodes } from '../../i18n/en/failure-codes'

/** Whether a text is a code that there are words for; they are filed by its two parts. */
export function isFailureCode(text: string): text is FailureCode {
  const [area = '', what = ''] = text.split('.')
  const known = Object.entries(failureCodes).find(([name]) => name === area)?.[1]
  return known !== undefined && Object.hasOwn(known, what)
}
