import type { ConnectionView } from '@shared/contract'
import { Cable } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { SkeletonRows } from '../../ui/skeleton'
import { editPath, listPath } from '../connections/paths'
import { useConsole } from '../plans/use-console'

/** Shows what needs a console, for the connection in use, anew when another one comes into use; says what is missing where there is none. */
export function WithConsole({ children }: { readonly children: (connection: ConnectionView) => ReactNode }) {
  const { t } = useTranslation(['packages', 'plans'])
  const console = useConsole()
  if (console.kind === 'looking') return <SkeletonRows rows={4} />
  if (console.kind === 'there') return <Fragment key={console.connection.id}>{children(console.connection)}</Fragment>
  const isNone = console.kind === 'none'
  return (
    <EmptyState
      icon={Cable}
      title={t(isNone ? 'packages:none' : 'packages:noConsole')}
      actions={
        <>
          {isNone ? <ButtonLink to="/sandbox">{t('plans:empty.sandbox')}</ButtonLink> : null}
          <ButtonLink variant="primary" to={isNone ? listPath : editPath(console.connection.id, 'consoleUrl')}>
            {t(isNone ? 'plans:account.notice.setUp' : 'plans:account.notice.setAddress')}
          </ButtonLink>
        </>
      }
    >
      {isNone ? t('packages:noneText') : t('packages:noConsoleText', { connection: console.connection.name })}
    </EmptyState>
  )
}
