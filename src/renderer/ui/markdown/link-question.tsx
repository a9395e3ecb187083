import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { toast } from '../toast'
import { AskToOpen } from './link'

/** Has the links inside opened by the main process, which shows the whole address and asks first. */
export function LinkQuestion({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('markdown')
  const opening = useAction('app.openLink', {
    onError: ({ failure }) => {
      if (failure.code !== 'input.declined') toast(t('notOpened'), { tone: 'danger' })
    },
  })
  return <AskToOpen value={({ href }) => opening.mutate({ url: href })}>{children}</AskToOpen>
}
