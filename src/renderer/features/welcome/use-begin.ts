import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { useUpdateSettings } from '../../settings'
import { toast } from '../../ui/toast'

/** The three ways in. Each one answers the first screen for good; opening the sandbox may fail and stays where it is then. */
export function useBegin() {
  const { t } = useTranslation('welcome')
  const navigate = useNavigate()
  const update = useUpdateSettings()
  const open = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'tools'] })

  const go = async (path: string): Promise<void> => {
    // A setting that could not be kept must not hold anyone back: the first screen then comes once more.
    await update({ welcomed: true }).catch(() => undefined)
    await navigate(path)
  }
  const openSandbox = (anotherPort = false): void => {
    if (open.isPending) return
    const done = async (): Promise<void> => {
      await go('/tools')
      void toast(t('sandboxReady'), { description: t('sandboxReadyText') })
    }
    open.mutate(anotherPort ? { anotherPort } : {}, { onSuccess: () => void done() })
  }
  return {
    openSandbox,
    isOpening: open.isPending,
    failure: open.error?.failure,
    addKey: () => void go('/plans/new'),
    connect: () => void go('/connections?new'),
    skip: () => void go('/'),
  }
}

export type Begin = ReturnType<typeof useBegin>
