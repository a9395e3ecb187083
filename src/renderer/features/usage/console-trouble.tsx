import { Cable, Layers, Monitor } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { CallError } from '../../ipc'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { editPath, listPath } from '../connections/paths'
import { ExplainedFailure } from '../failures/explained-failure'
import { ConsoleFailure } from '../plans/plans-notice'
import styles from './usage.module.css'
import type { Usage } from './use-usage'

function ToMachine({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const show = (): void =>
    usage.change({ scope: 'machine', planId: undefined, keyId: undefined, connectionId: undefined, cycle: undefined })
  return (
    <Button icon={Monitor} onClick={show}>
      {t('console.toMachine')}
    </Button>
  )
}

/** The console is wanted but there is none, or it knows of no plan. */
export function NoConsole({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { cannotAsk, console } = usage
  const isNone = cannotAsk === 'noConsole'
  return (
    <EmptyState
      icon={isNone ? Cable : Layers}
      title={t(isNone ? 'console.none' : 'console.noPlan')}
      actions={
        <>
          <ToMachine usage={usage} />
          {isNone ? (
            <ButtonLink to={console.kind === 'noConsole' ? editPath(console.connection.id, 'consoleUrl') : listPath}>
              {t('console.setAddress')}
            </ButtonLink>
          ) : null}
        </>
      }
    >
      {t(isNone ? 'console.noneText' : 'console.noPlanText')}
    </EmptyState>
  )
}

interface FailedProps {
  readonly usage: Usage
  readonly error: CallError
  readonly busy: boolean
  readonly onRetry: () => void
}

/** The figures did not come: why, what to do, and this machine's figures in place of the console's. */
export function FiguresFailed({ usage, error, busy, onRetry }: FailedProps) {
  const { console, scope } = usage
  if (scope !== 'console' || console.kind !== 'there') {
    return <ExplainedFailure failure={error.failure} busy={busy} handlers={{ tryAgain: onRetry }} />
  }
  return (
    <div className={styles.trouble}>
      <ConsoleFailure console={console} error={error} onRetry={onRetry} busy={busy} />
      <ToMachine usage={usage} />
    </div>
  )
}
