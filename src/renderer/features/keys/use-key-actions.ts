import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { Ban, CircleCheck, HardDriveDownload, Pencil, RotateCw, Send, Trash2, Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { type CallError, useAction, useCall } from '../../ipc'
import { handoutPath, type KeyHere, rotateKeyPath } from '../../paths'
import { useSession } from '../../session'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { keyHereOf } from '../account'

/** What asks before it is done. */
export type KeyQuestion = 'rename' | 'disable' | 'delete'

interface Where {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly onAsk: (question: KeyQuestion, of: SubscriptionKeyView) => void
}

function useSayFailure(): (error: CallError) => void {
  const words = useFailureWords()
  return ({ failure }) => {
    const { title, remedy } = words(failure)
    void toast(title, { tone: 'danger', description: remedy })
  }
}

/** Goes to the tools with the plan of this computer that holds the key. */
function useSetUpTool(localPlanId: string | undefined): (() => void) | undefined {
  const navigate = useNavigate()
  const choosePlan = useSession((session) => session.choosePlan)
  if (localPlanId === undefined) return undefined
  return () => {
    choosePlan(localPlanId)
    void navigate('/tools')
  }
}

/** What can be done with a key: at once (copy, keep, enable), or after a question. Everything is said in a toast, while the list is there. */
export function useKeyActions({ connectionId, plan, onAsk }: Where) {
  const { t } = useTranslation('keys')
  const succession = useSuccession(plan)
  const { duration } = useFormats()
  const onError = useSayFailure()
  const setUpTool = useSetUpTool(plan.localPlanId)
  const copying = useAction('account.copyKey')
  const keeping = useAction('account.keepKey', { invalidates: ['account', 'plans'] })
  const setting = useAction('account.setKeyStatus', { invalidates: ['account'] })
  const addressOf = ({ keyId }: SubscriptionKeyView) => ({ connectionId, planId: plan.planId, keyId })
  const copy = (of: SubscriptionKeyView): void =>
    copying.mutate(addressOf(of), {
      onError,
      onSuccess: ({ clearsAfterMs }) =>
        void toast(t('copied'), { description: t('copiedHint', { time: duration(clearsAfterMs) }) }),
    })
  const keep = (of: SubscriptionKeyView): void =>
    keeping.mutate(addressOf(of), { onError, onSuccess: () => void toast(t('keptNow', { name: of.name })) })
  const enable = (of: SubscriptionKeyView): void =>
    setting.mutate(
      { ...addressOf(of), status: 'ACTIVE' },
      { onError, onSuccess: () => void toast(t('enabled', { name: of.name })) },
    )
  const isKept = ({ kept }: SubscriptionKeyView): boolean => kept === 'keychain' || kept === 'session'
  const menuOf = (of: SubscriptionKeyView): readonly MenuItem[] => [
    ...succession.itemsOf(of),
    isKept(of)
      ? { label: t('configure'), icon: Wrench, disabled: !setUpTool, onSelect: () => setUpTool?.() }
      : { label: t('keep'), icon: HardDriveDownload, onSelect: () => keep(of) },
    { label: t('rename'), icon: Pencil, onSelect: () => onAsk('rename', of) },
    of.status === 'ACTIVE'
      ? { label: t('disable'), icon: Ban, onSelect: () => onAsk('disable', of) }
      : { label: t('enable'), icon: CircleCheck, onSelect: () => enable(of) },
    'separator',
    { label: t('delete'), icon: Trash2, danger: true, onSelect: () => onAsk('delete', of) },
  ]
  const { hereOf, rotate } = succession
  return { copy, keep, menuOf, hereOf, rotate, keeping: keeping.isPending ? keeping.variables.keyId : undefined }
}

export type KeyActions = ReturnType<typeof useKeyActions>

/** Rotating and handing out a key of the account: for those that are kept here, as this computer names them. */
function useSuccession({ localPlanId }: AccountPlanView) {
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
