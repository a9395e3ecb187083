import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { RotateCw, Send } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { handoutPath } from '../handouts/paths'
import { type KeyHere, rotateKeyPath } from '../rotation/paths'
import { keyHereOf } from '../rotation/rotatable'

/** Rotating and handing out a key of the account: for those that are kept here, as this computer names them. */
export function useSuccession({ localPlanId }: AccountPlanView) {
  const { t } = useTranslation(['keys', 'rotation'])
  const navigate = useNavigate()
  const { data: plans = [] } = useCall('plans.list', {})
  const local = plans.find(({ id }) => id === localPlanId)
  const hereOf = ({ keyId }: SubscriptionKeyView): KeyHere | undefined => keyHereOf(local, keyId)
  const rotate = (here: KeyHere): void => void navigate(rotateKeyPath(here))
  const itemsOf = (of: SubscriptionKeyView): readonly MenuItem[] => {
    const here = hereOf(of)
    return [
      {
        label: t('rotation:rotateMenu'),
        icon: RotateCw,
        disabled: !here,
        hint: here ? undefined : t('rotation:keepFirst'),
        onSelect: () => here && rotate(here),
      },
      {
        label: t('keys:handOutThis'),
        icon: Send,
        disabled: !here,
        onSelect: () => here && void navigate(handoutPath(here)),
      },
    ]
  }
  return { hereOf, rotate, itemsOf }
}
