import { Copy, ExternalLink, Repeat2, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CallError, call } from '../../ipc'
import { planPath } from '../../paths'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import type { Entry } from '../account'

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
