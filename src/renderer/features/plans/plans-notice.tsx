import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { type CallError, useAction } from '../../ipc'
import { connectionPath, connectionsPath, editConnectionPath } from '../../paths'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ExplainedFailure } from '../failures/explained-failure'
import type { Console } from './use-console'

/** Why only handed-over plans are shown, in one line with the way out; nothing when the account's are there. */
export function NoConsoleNotice({ console }: { readonly console: Console }) {
  const { t } = useTranslation('plans')
  if (console.kind !== 'none' && console.kind !== 'noConsole') return null
  const isNone = console.kind === 'none'
  return (
    <Callout
      tone="info"
      title={isNone ? t('account.notice.none') : t('account.notice.noConsole', { connection: console.connection.name })}
      actions={
        <ButtonLink size="sm" to={isNone ? connectionsPath : editConnectionPath(console.connection.id, 'consoleUrl')}>
          {isNone ? t('account.notice.setUp') : t('account.notice.setAddress')}
        </ButtonLink>
      }
    />
  )
}

interface ConsoleFailureProps {
  readonly console: Console & { readonly kind: 'there' }
  readonly error: CallError
  readonly onRetry: () => void
  readonly busy: boolean
}

/** Why the console did not answer, with the remedies that a connection has: try again, its address, its secret, its test; for the sandbox, starting it. */
export function ConsoleFailure({ console, error, onRetry, busy }: ConsoleFailureProps) {
  const navigate = useNavigate()
  const { id, isBuiltIn } = console.connection
  const opening = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'account'], onSuccess: onRetry })
  const go = (path: string) => () => void navigate(path)
  return (
    <ExplainedFailure
      failure={opening.error?.failure ?? error.failure}
      context={{ isSandbox: isBuiltIn, requestAddress: console.connection.addresses.consoleUrl }}
      busy={busy || opening.isPending}
      handlers={{
        tryAgain: onRetry,
        setAddress: go(isBuiltIn ? '/sandbox' : editConnectionPath(id, 'consoleUrl')),
        pasteKey: go(connectionPath(id)),
        startSandbox: () => opening.mutate({}),
        anotherPort: () => opening.mutate({ anotherPort: true }),
      }}
    />
  )
}
