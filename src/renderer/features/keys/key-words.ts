import type { KeyView, PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'

/** Whether a key is disabled at its account, as far as it is known: nothing works with it. */
export const isDisabledKey = ({ status }: KeyView): boolean => status === 'DISABLED'

/** The key that is used where none is named. */
export const defaultKeyOf = ({ keys, defaultKeyId }: PlanView): KeyView | undefined =>
  keys.find(({ id }) => id === defaultKeyId)

/** What is said of a key that the gateway refused, where it is known to be disabled. */
export const disabledContext = (key: KeyView | undefined): { disabledKey?: string; newKey?: string } =>
  key && isDisabledKey(key) ? { disabledKey: key.name, ...(key.replacedBy && { newKey: key.replacedBy.name }) } : {}

/** What is said beside a key's name where one is chosen: why it does not work, or its masked form. */
export function useKeyHint(): (key: KeyView) => string {
  const { t } = useTranslation(['keys', 'plans'])
  return (key) => {
    if (key.replacedBy) return t('keys:choice.replaced', { key: key.replacedBy.name })
    if (isDisabledKey(key)) return t('keys:choice.disabled')
    return key.kept === 'missing' ? t('plans:kept.missing') : key.masked
  }
}
