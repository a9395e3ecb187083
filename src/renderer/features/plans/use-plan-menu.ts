import { Copy, ExternalLink, Repeat2, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { CallError, call, useAction } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import type { Entry } from './entries'

/** Where the page of a plan is. */
export const planPath = (id: string): string => `/plans/${encodeURIComponent(id)}`

interface Doing {
  readonly onBuyAgain: (entry: Entry) => void
  readonly onDelete: (entry: Entry) => void
}

/** What can be done with a plan from its row. Deleting and buying again are for plans of the account. */
export function usePlanMenu({ onBuyAgain, onDelete }: Doing): (entry: Entry) => readonly MenuItem[] {
  const { t } = useTranslation(['plans', 'common'])
  const navigate = useNavigate()
  const copy = (text: string): void => {
    call('app.copyText', { text }).then(
      () => void toast(t('common:copied')),
      (error: unknown) => {
        if (error instanceof CallError) void toast(t('common:copyFailed'), { tone: 'danger' })
      },
    )
  }
  return (entry) => {
    const { id, kind, plan } = entry
    const isMasked = kind === 'account' && !plan.provisioned
    return [
      { label: t('plans:account.open'), icon: ExternalLink, onSelect: () => void navigate(planPath(id)) },
      {
        label: t('plans:account.copyGateway'),
        icon: Copy,
        disabled: isMasked,
        onSelect: () => copy(plan.gatewayUrl),
      },
      ...(kind === 'account'
        ? ([
            { label: t('plans:account.buyAgain'), icon: Repeat2, onSelect: () => onBuyAgain(entry) },
            'separator',
            { label: t('plans:account.delete'), icon: Trash2, danger: true, onSelect: () => onDelete(entry) },
          ] as const)
        : []),
    ]
  }
}

/** Copies a key of a plan in main, and says how long it stays on the clipboard. */
export function useCopyKey(planId: string) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const words = useFailureWords()
  return useAction('plans.copyKey', {
    onSuccess: ({ clearsAfterMs }) =>
      void toast(t('page.keyCopied'), {
        description: t('page.keyCopiedHint', { time: formats.duration(clearsAfterMs) }),
      }),
    onError: ({ failure }) =>
      void toast(words(failure, { plan: planId }).title, { tone: 'danger', description: words(failure).remedy }),
  })
}
